import type { ThreadFence } from '../ports/agenda.ts';
import type { ModelCost, ToolMessage, TurnMessage } from './message.ts';
import type { ThreadKey } from './thread-key.ts';

/**
 * One message of a turn in progress: what a person wrote, or what the model answered. The agent's
 * own state is a cache of the turn; the turn can be rebuilt from these and from its calls.
 */
export interface TurnRecord {
  readonly v: 1;
  readonly thread: ThreadKey;
  readonly turn: string;
  /** Index of the message among all messages of the turn, tool messages included. */
  readonly position: number;
  readonly message: Exclude<TurnMessage, ToolMessage>;
  /** Replies to those of its calls that were not proposed. */
  readonly rejected: readonly ToolMessage[];
  /** What the turn had taken of the model up to this message. */
  readonly spent?: ModelCost;
  /** What the person should know about the answer so far. */
  readonly notice?: string;
}

/** Messages of turns in progress. They are written as effects of other changes, and removed when the turn is appended to the history. */
export interface TurnRecords {
  /** Keeps messages that no other change carries; a position that is known stays as it was. */
  keep(records: readonly TurnRecord[], fence: ThreadFence): Promise<void>;
  /** The messages of a turn, in the order of their positions. */
  ofTurn(thread: ThreadKey, turn: string): Promise<readonly TurnRecord[]>;
}
