import type { Authorize } from '../../desk/decisions/authorize.ts';
import type { Desk } from '../../desk/desk.ts';
import type { ExternalDesk } from '../../desk/external/external-desk.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { SecretHider } from '../../domain/secrets/hide-args.ts';
import type { createClientAddress } from './auth/client-address.ts';
import type { ConsumeTokens } from './auth/consume-tokens.ts';
import type { ReadPersonToken } from './auth/person-tokens.ts';

/** Everything that the API stands on. */
export interface ApiDeps {
  /** The workspace that all people are of. */
  readonly team: string;
  readonly outside: ExternalDesk;
  readonly desk: Pick<Desk, 'decide' | 'listWaiting' | 'open'>;
  readonly store: Pick<Store, 'ledger' | 'keys'>;
  readonly authorize: Authorize;
  /** Hides secrets from whoever did not send them. */
  readonly hide: SecretHider;
  readonly tokens: ConsumeTokens;
  /** Absent where no tokens of people are taken. */
  readonly readPersonToken?: ReadPersonToken;
  /** How many requests a key, or a person, may make in a minute, in each process. */
  readonly ratePerMinute: number;
  /** Tells where a request comes from. */
  readonly clientAddress: ReturnType<typeof createClientAddress>;
  /** Origins whose pages may use the API. */
  readonly corsOrigins: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}
