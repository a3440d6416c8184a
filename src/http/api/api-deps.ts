import type { Authorize } from '../../desk/authorize.ts';
import type { Desk } from '../../desk/desk.ts';
import type { OutsideDesk } from '../../desk/outside/outside-desk.ts';
import type { Call } from '../../domain/call.ts';
import type { Clock } from '../../domain/clock.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { Log } from '../../domain/log.ts';
import type { Store } from '../../domain/store.ts';
import type { ConsumeTokens } from './consume-tokens.ts';
import type { ReadPersonToken } from './person-tokens.ts';

/** Everything that the API stands on. */
export interface ApiDeps {
  /** The workspace that all people are of. */
  readonly team: string;
  readonly outside: OutsideDesk;
  readonly desk: Pick<Desk, 'decide' | 'listWaiting'>;
  readonly store: Pick<Store, 'ledger' | 'keys'>;
  readonly authorize: Authorize;
  /** Hides secrets from whoever did not send them. */
  readonly hide: {
    args(call: Call, showsLookAlikes: boolean): JsonValue;
    text(call: Call, text: string, showsLookAlikes: boolean): string;
    restore(
      call: Call,
      args: JsonValue,
    ): {
      readonly args: JsonValue;
      readonly keepsUnseen: boolean;
      /** Where a mark stands that no secret can be put back for. */
      readonly misplaced: readonly (readonly (string | number)[])[];
    };
  };
  readonly tokens: ConsumeTokens;
  /** Absent where no tokens of people are taken. */
  readonly readPersonToken?: ReadPersonToken;
  /** How many requests a key, or a person, may make in a minute, in each process. */
  readonly ratePerMinute: number;
  readonly clock: Clock;
  readonly log: Log;
}
