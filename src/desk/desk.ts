import type { Call } from '../domain/call.ts';
import type {
  DecisionCommand,
  DecisionLook,
  DecisionOutcome,
  SettleCommand,
} from '../domain/decision.ts';
import type { InboxMessage } from '../domain/message.ts';
import type { ThreadKey } from '../domain/thread-key.ts';

/** What the edges of the app may ask of it: every decision, from whatever surface, comes through here. */
export interface Desk {
  /** Stores a message; once it has resolved, the message is never lost. Before Slack is told that we have it. */
  receive(message: InboxMessage): Promise<'new' | 'known'>;
  /** Tells whether the agent is in this thread. */
  isInThread(thread: ThreadKey): Promise<boolean>;
  decide(command: DecisionCommand): Promise<DecisionOutcome>;
  settle(command: SettleCommand): Promise<DecisionOutcome>;
  /** Answers whether the person could make this decision now: `open`, or what deciding would answer; changes nothing. */
  look(
    look: DecisionLook,
  ): Promise<{ readonly kind: 'open'; readonly call: Call } | DecisionOutcome>;
  /** Remembers that somebody was turned away at the edge. */
  recordRefusal(refusal: {
    readonly surface: string;
    readonly subject: string;
    readonly actor: string;
    readonly why: string;
  }): Promise<void>;
}
