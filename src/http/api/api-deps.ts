import type { Authorize } from '../../desk/decisions/authorize.ts';
import type { Desk } from '../../desk/desk.ts';
import type { ExternalDesk } from '../../desk/external/external-desk.ts';
import type { SecretHider } from '../../domain/cards/hide-args.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { createClientAddress } from './auth/client-address.ts';
import type { ConsumeTokens } from './auth/consume-tokens.ts';
import type { ReadPersonToken } from './auth/person-tokens.ts';

/** What the API depends on. */
export interface ApiDeps {
  /** The workspace of all users. */
  readonly team: string;
  readonly outside: ExternalDesk;
  readonly desk: Pick<Desk, 'decide' | 'listWaiting' | 'open'>;
  readonly store: Pick<Store, 'ledger' | 'keys'>;
  readonly authorize: Authorize;
  /** Hides secrets from everyone but the program that sent them. */
  readonly hide: SecretHider;
  readonly tokens: ConsumeTokens;
  /** Absent if users' tokens are not accepted. */
  readonly readPersonToken?: ReadPersonToken;
  /** Requests per minute for each key or user, in each process. */
  readonly ratePerMinute: number;
  /** Finds the client's address of a request. */
  readonly clientAddress: ReturnType<typeof createClientAddress>;
  /** Origins whose pages may use the API. */
  readonly corsOrigins: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}
