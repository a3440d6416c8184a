import type { SlackModeConfig } from '../config/config.ts';
import { createCallWatch } from '../desk/external/watch-calls.ts';
import { createSeal } from '../domain/calls/seal.ts';
import { createSecretMark } from '../domain/secrets/secret-mark.ts';
import { openStore } from '../stores/open-store.ts';
import { withSealedCalls } from '../stores/repositories/documents/sealed-ledger.ts';
import type { AppParts } from './app-deps.ts';

export type Records = Awaited<ReturnType<typeof openRecords>>;

/** Opens the records of the connected workspace. Rejects if they belong to another one. */
export async function openRecords(
  config: SlackModeConfig,
  { clock, connection, events, log, onRelease }: AppParts,
) {
  const opened = await openStore(config, {
    ...{ clock, log },
    onWake: events.wake.emit,
    onDamaged: events.damaged.emit,
  });
  onRelease(() => opened.store.close());
  const { enterprise, team } = connection.identity;
  await opened.store.belongTo({ workspace: team, enterprise });
  const installationKey = await opened.installationKey.read();
  const mark = createSecretMark(installationKey);
  const ledger = withSealedCalls(opened.store.ledger, createSeal(installationKey));
  const store = { ...opened.store, ledger };
  const filesOff = await opened.findFilesProblem();
  const calls = createCallWatch({ audit: store.audit, clock, log });
  events.wake.on(() => calls.nudge());
  onRelease(async () => calls.stop());
  return { store, installationKey, mark, filesOff, calls, isShared: opened.isShared };
}
