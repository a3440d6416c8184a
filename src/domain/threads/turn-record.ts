import type { ModelCost, ToolMessage, TurnMessage } from './message.ts';
import type { ThreadKey } from './thread-key.ts';

/**
 * One message of a turn in progress: a person's message or a model's answer. The agent's own state
 * is only a cache; the turn can be rebuilt from these records and its calls.
 */
export interface TurnRecord {
  readonly v: 1;
  readonly thread: ThreadKey;
  readonly turn: string;
  /** Index among all messages of the turn, tool messages included. */
  readonly position: number;
  readonly message: Exclude<TurnMessage, ToolMessage>;
  /** Replies to those of its calls that were not proposed. */
  readonly rejected: readonly ToolMessage[];
  /** Model cost of the turn up to this message. */
  readonly spent?: ModelCost;
  /** What the person should know about the answer so far. */
  readonly notice?: string;
}
