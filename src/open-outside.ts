/** What programs, and people's own front ends, ask of the desk: put together here, as the app is. */
import { readJsonSchema } from './agent/tools/read-json-schema.ts';
import type { ApiConfig } from './api-config.ts';
import { createAuthorize } from './desk/authorize.ts';
import type { DeskDeps } from './desk/deps.ts';
import type { Desk } from './desk/desk.ts';
import { createOutsideDesk, type OutsideDesk } from './desk/outside/outside-desk.ts';
import type { CallWatch } from './desk/outside/watch-calls.ts';
import { createHideArgs } from './domain/hide-args.ts';
import { createCallNames, createSecretMark } from './domain/secret-mark.ts';
import { createClientAddress } from './http/api/client-address.ts';
import { createConsumeTokens } from './http/api/consume-tokens.ts';
import { type Api, createApi } from './http/api/create-api.ts';
import { createPersonTokens } from './http/api/person-tokens.ts';

import type { HttpConfig } from './http-config.ts';

/** The way in from outside of Slack. */
export interface Outside {
  readonly desk: OutsideDesk;
  readonly api: Api;
}

/** Makes the way in from outside of Slack. */
export async function openOutside(
  settings: {
    readonly api: ApiConfig;
    readonly http: HttpConfig;
    readonly reportMs: number;
    readonly maxPendingPerPerson: number;
  },
  deps: Pick<
    DeskDeps,
    | 'store'
    | 'toolbox'
    | 'helpers'
    | 'gate'
    | 'directory'
    | 'clock'
    | 'log'
    | 'integrity'
    | 'newId'
    | 'callbacks'
  > & {
    readonly desk: Desk;
    readonly team: string;
    readonly installationKey: Uint8Array;
    readonly watch: CallWatch['watch'];
  },
): Promise<Outside> {
  const { clock, desk, directory, installationKey, log, store, team } = deps;
  const { maxPendingPerKey, people, ratePerMinute } = settings.api;
  const outside = createOutsideDesk({
    ...deps,
    idOf: createCallNames(installationKey),
    readSchema: readJsonSchema,
    reportMs: settings.reportMs,
    maxPendingPerPerson: settings.maxPendingPerPerson,
    maxPendingPerKey,
  });
  const api = createApi({
    ...{ team, outside, desk, store, ratePerMinute, clock, log },
    clientAddress: createClientAddress(settings.http.trustedProxies),
    corsOrigins: settings.http.corsOrigins,
    authorize: createAuthorize({ directory, log }),
    hide: createHideArgs(createSecretMark(installationKey), deps.toolbox),
    tokens: await createConsumeTokens(installationKey, clock),
    ...(people && { readPersonToken: createPersonTokens(people, clock) }),
  });
  return { desk: outside, api };
}
