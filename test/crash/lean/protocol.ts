/** What the harness and a worker's process say to each other over the line that `fork` gives them. */
import type { DecisionCommand, SettleCommand } from '../../../src/domain/calls/decision.ts';
import type { InboxMessage } from '../../../src/domain/threads/message.ts';
import type { SlackEvent } from '../record.ts';

/** Where the worker is to die, and at which time that it comes by there. */
export interface KillPlan {
  readonly point: string;
  readonly nth: number;
}

export type StoreAddress =
  | {
      readonly kind: 'sqlite';
      readonly dataDir: string;
      /** Where what is on the disk for sure is kept; absent: nobody wants to know. */
      readonly synced?: string | undefined;
    }
  | { readonly kind: 'redis'; readonly url: string; readonly prefix: string };

/** What the harness asks of a worker's process. */
export type Command =
  /** Opens the store; the worker does not begin. */
  | {
      readonly op: 'open';
      readonly store: StoreAddress;
      /** How far the run's time is ahead of the machine's, in ms. */
      readonly aheadMs: number;
      readonly kill?: KillPlan | undefined;
      /** Where warnings and errors are appended. */
      readonly logFile: string;
    }
  | { readonly op: 'begin' }
  | { readonly op: 'receive'; readonly message: InboxMessage }
  | { readonly op: 'decide'; readonly command: DecisionCommand }
  | { readonly op: 'settle'; readonly command: SettleCommand }
  /** Resolves when nothing is under way and nothing is due, with when something will be. */
  | { readonly op: 'rest' }
  | { readonly op: 'advance'; readonly ms: number }
  | { readonly op: 'dump' }
  /** Resolves with how often each point was passed. */
  | { readonly op: 'close' };

/** What the worker asks of the world outside. With `dies`, the process is killed before it is answered. */
export type OutsideRequest =
  | {
      readonly to: 'tool';
      readonly key: string;
      readonly tool: string;
      readonly args: string;
      /** `early`: it is done after the process has died, `late`: before. */
      readonly dies?: 'early' | 'late' | undefined;
    }
  | {
      readonly to: 'slack';
      readonly event: CardsDrawing | SayEvent | { readonly op: 'clear'; readonly ts: string };
      readonly lookFirst?: boolean;
      readonly dies?: 'late' | undefined;
    };

/** A drawing of a call's card. */
export type CardDrawing = Omit<Extract<SlackEvent, { op: 'card' }>, 'how' | 'ts'>;

/** The cards of calls that share a message, the lead's first: on the message at `ts`, or on a new one. */
export interface CardsDrawing {
  readonly op: 'cards';
  readonly cards: readonly CardDrawing[];
  readonly ts: string | undefined;
}

/** Something that is said; the growing message at `ts` becomes its first part. */
export type SayEvent = Omit<Extract<SlackEvent, { op: 'say' }>, 'ts'> & {
  readonly ts?: string | undefined;
};

export type ToWorker =
  | { readonly id: number; readonly command: Command }
  | { readonly answers: number; readonly value: string };

export type ToHarness =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly asks: number; readonly request: OutsideRequest };
