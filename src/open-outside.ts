/** What programs, and people's own front ends, ask of the desk: put together here, as the app is. */
import type { ApiConfig } from './api-config.ts';
import { createAuthorize } from './desk/authorize.ts';
import type { DeskDeps } from './desk/deps.ts';
import type { Desk } from './desk/desk.ts';
import { createOutsideDesk, type OutsideDesk } from './desk/outside/outside-desk.ts';
import { type CallWatch, createCallWatch } from './desk/outside/watch-calls.ts';
import { createCallNames, createSecretMark } from './domain/secret-mark.ts';
import { createConsumeTokens } from './http/api/consume-tokens.ts';
import { type Api, createApi } from './http/api/create-api.ts';
import { createPersonTokens } from './http/api/person-tokens.ts';
import { createHideArgs } from './slack/cards/hide-args.ts';

/** The way in from outside of Slack. */
export interface Outside {
  readonly desk: OutsideDesk;
  readonly api: Api;
  /** Tells of what happens to calls. */
  readonly watch: CallWatch;
}

/** Makes the way in from outside of Slack. */
export async function openOutside(
  settings: {
    readonly api: ApiConfig;
    readonly reportMs: number;
    readonly maxPendingPerPerson: number;
  },
  deps: Pick<
    DeskDeps,
    'store' | 'toolbox' | 'helpers' | 'gate' | 'directory' | 'clock' | 'log' | 'integrity' | 'newId'
  > & {
    readonly desk: Desk;
    readonly team: string;
    readonly installationKey: Uint8Array;
  },
): Promise<Outside> {
  const { clock, desk, directory, installationKey, log, store, team } = deps;
  const { maxPendingPerKey, people, ratePerMinute } = settings.api;
  const watch = createCallWatch({ audit: store.audit, clock, log });
  const outside = createOutsideDesk({
    ...deps,
    idOf: createCallNames(installationKey),
    reportMs: settings.reportMs,
    maxPendingPerPerson: settings.maxPendingPerPerson,
    maxPendingPerKey,
    watch: watch.watch,
  });
  const api = createApi({
    ...{ team, outside, desk, store, ratePerMinute, clock, log },
    authorize: createAuthorize({ directory, log }),
    hide: createHideArgs(createSecretMark(installationKey)),
    tokens: await createConsumeTokens(installationKey, clock),
    ...(people && { readPersonToken: createPersonTokens(people, clock) }),
  });
  return { desk: outside, api, watch };
}
