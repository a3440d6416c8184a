import type { ThreadKey } from '../threads/thread-key.ts';
import type { TurnRecord } from '../threads/turn-record.ts';
import type { ThreadFence } from './agenda.ts';

/**
 * Messages of turns in progress. They are written with other changes, and removed when the turn
 * joins the history.
 */
export interface TurnRecords {
  /** Stores messages that no other change writes. Known positions are not overwritten. */
  keep(records: readonly TurnRecord[], fence: ThreadFence): Promise<void>;
  /** Returns a turn's messages, ordered by position. */
  ofTurn(thread: ThreadKey, turn: string): Promise<readonly TurnRecord[]>;
}
