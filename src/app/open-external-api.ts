/** Composes the part of the desk that programs and custom front ends call. */
import { readJsonSchema } from '../agent/tools/schema/read-json-schema.ts';
import type { ApiConfig } from '../config/api-config.ts';
import type { HttpConfig } from '../config/http-config.ts';
import { createAuthorize } from '../desk/decisions/authorize.ts';
import type { DeskDeps } from '../desk/deps.ts';
import type { Desk } from '../desk/desk.ts';
import { createExternalDesk, type ExternalDesk } from '../desk/external/external-desk.ts';
import type { CallWatch } from '../desk/external/watch-calls.ts';
import { createSecretHider } from '../domain/cards/hide-args.ts';
import { createCallIds, createSecretMark } from '../domain/secrets/secret-mark.ts';
import { createClientAddress } from '../http/api/auth/client-address.ts';
import { createConsumeTokens } from '../http/api/auth/consume-tokens.ts';
import { createPersonTokens } from '../http/api/auth/person-tokens.ts';
import { type Api, createApi } from '../http/api/create-api.ts';

/** The entry points for clients outside of Slack. */
export interface ExternalApi {
  readonly desk: ExternalDesk;
  readonly api: Api;
}

/** Opens the entry points for clients outside of Slack. */
export async function openExternalApi(
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
): Promise<ExternalApi> {
  const { clock, desk, directory, installationKey, log, store, team } = deps;
  const { maxPendingPerKey, people, ratePerMinute } = settings.api;
  const external = createExternalDesk({
    ...deps,
    idOf: createCallIds(installationKey),
    readSchema: readJsonSchema,
    reportMs: settings.reportMs,
    maxPendingPerPerson: settings.maxPendingPerPerson,
    maxPendingPerKey,
  });
  const api = createApi({
    ...{ team, outside: external, desk, store, ratePerMinute, clock, log },
    clientAddress: createClientAddress(settings.http.trustedProxies),
    corsOrigins: settings.http.corsOrigins,
    authorize: createAuthorize({ directory, log }),
    hide: createSecretHider(createSecretMark(installationKey), deps.toolbox),
    tokens: await createConsumeTokens(installationKey, clock),
    ...(people && { readPersonToken: createPersonTokens(people, clock) }),
  });
  return { desk: external, api };
}
