import type { Authorize } from '../../desk/authorize.ts';
import type { Desk } from '../../desk/desk.ts';
import type { OutsideDesk } from '../../desk/outside/outside-desk.ts';
import type { Clock } from '../../domain/clock.ts';
import type { HideArgs } from '../../domain/hide-args.ts';
import type { Log } from '../../domain/log.ts';
import type { Store } from '../../domain/store.ts';
import type { createClientAddress } from './client-address.ts';
import type { ConsumeTokens } from './consume-tokens.ts';
import type { ReadPersonToken } from './person-tokens.ts';

/** Everything that the API stands on. */
export interface ApiDeps {
  /** The workspace that all people are of. */
  readonly team: string;
  readonly outside: OutsideDesk;
  readonly desk: Pick<Desk, 'decide' | 'listWaiting' | 'open'>;
  readonly store: Pick<Store, 'ledger' | 'keys'>;
  readonly authorize: Authorize;
  /** Hides secrets from whoever did not send them. */
  readonly hide: HideArgs;
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
