/**
 * What people do with the work itself: stop, pause, resume, forget. Each command first checks the
 * person's rights.
 */

import type { Person } from '../../domain/people/person.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { depthOf, placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';
import { listQuarantined, type QuarantinedRecord } from '../worker/quarantine.ts';
import { explainForgetRefused } from './check-forget.ts';
import { forgetEffects } from './forget-effects.ts';
import { createPauseCommands, type PauseCommands } from './pause-commands.ts';
import {
  createDeny,
  createRequireSender,
  type InChannel,
  type NotAllowed,
} from './require-admin.ts';
import { createStopCommands, type StopCommands } from './stop-commands.ts';

export type ForgetOutcome =
  | { readonly kind: 'forgotten'; readonly turns: number }
  | { readonly kind: 'unknown-thread' }
  | NotAllowed;

export type StatusOutcome =
  | {
      readonly kind: 'status';
      readonly pause: Pause | undefined;
      /** Turns in progress in the channel, without helpers. */
      readonly ongoing: readonly InboxMessage[];
      /** Damaged records; empty for non-admins. */
      readonly quarantined: readonly QuarantinedRecord[];
    }
  | NotAllowed;

export interface Control extends StopCommands, PauseCommands {
  /** Clears the history of a thread's settled turns; a turn in progress is not affected. */
  forget(command: { readonly thread: ThreadKey; readonly by: Person }): Promise<ForgetOutcome>;
  status(command: InChannel): Promise<StatusOutcome>;
}

/** Creates the control commands. */
export function createControl(
  deps: Pick<
    DeskDeps,
    'store' | 'clock' | 'signals' | 'directory' | 'senderPolicy' | 'log' | 'graph'
  >,
): Control {
  const { store, clock } = deps;
  const deny = createDeny(deps);
  const requireSender = createRequireSender(deps);

  return {
    ...createStopCommands(deps),
    ...createPauseCommands(deps),

    async forget({ thread, by }) {
      const { team, channel } = placeOf(thread);
      const checked = await requireSender({ team, channel, by }, thread);
      if ('kind' in checked) return checked;
      if (!(await store.inbox.hasThread(thread))) return { kind: 'unknown-thread' };
      const why = await explainForgetRefused(store, thread, by, async () => checked.isAdmin);
      if (why !== undefined)
        return await deny(by, thread, { why: 'not to be forgotten', sentence: why });
      const now = clock.now();
      const effects = forgetEffects(thread, by, `${thread}#${now}`, now, deps.graph);
      return { kind: 'forgotten', turns: await store.history.clear(thread, effects) };
    },

    async status({ team, channel, by }) {
      const checked = await requireSender({ team, channel, by }, `${team}/${channel}`);
      if ('kind' in checked) return checked;
      const ongoing = await store.inbox.ongoing({ team, channel });
      return {
        kind: 'status',
        pause: await store.pause.read(),
        ongoing: ongoing.filter(({ thread }) => depthOf(thread) === 0),
        quarantined: checked.isAdmin ? await listQuarantined(store) : [],
      };
    },
  };
}
