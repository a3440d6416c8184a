/** The messages between the harness and the process of a worker, over the channel that `fork` creates. */
import type { DecisionCommand, SettleCommand } from '../../../src/domain/calls/decision.ts';
import type { InboxMessage } from '../../../src/domain/threads/message.ts';
import type { SlackEvent } from '../record.ts';

/** Where the worker dies, and on which pass. */
export interface KillPlan {
  readonly point: string;
  readonly nth: number;
}

export type StoreAddress =
  | {
      readonly kind: 'sqlite';
      readonly dataDir: string;
      /** Where a copy of the synced data is kept; absent: no copy. */
      readonly synced?: string | undefined;
    }
  | { readonly kind: 'redis'; readonly url: string; readonly prefix: string };

/** The requests of the harness to the process of a worker. */
export type Command =
  /** Opens the store; the worker is not started. */
  | {
      readonly op: 'open';
      readonly store: StoreAddress;
      /** How far the time of the run is ahead of the system time, in ms. */
      readonly aheadMs: number;
      readonly kill?: KillPlan | undefined;
      /** Where warnings and errors are appended. */
      readonly logFile: string;
    }
  | { readonly op: 'begin' }
  | { readonly op: 'receive'; readonly message: InboxMessage }
  | { readonly op: 'decide'; readonly command: DecisionCommand }
  | { readonly op: 'settle'; readonly command: SettleCommand }
  /** Resolves when the process is idle and nothing is due, with the next due time. */
  | { readonly op: 'rest' }
  | { readonly op: 'advance'; readonly ms: number }
  | { readonly op: 'dump' }
  /** Resolves with how often each point was passed. */
  | { readonly op: 'close' };

/** The requests of the worker to the outside world. With `dies`, the process is killed before the response. */
export type OutsideRequest =
  | {
      readonly to: 'tool';
      readonly key: string;
      readonly tool: string;
      readonly args: string;
      /** `early`: done after the process has died, `late`: before. */
      readonly dies?: 'early' | 'late' | undefined;
    }
  | {
      readonly to: 'slack';
      readonly event: CardsDrawing | SayEvent | { readonly op: 'clear'; readonly ts: string };
      readonly lookFirst?: boolean;
      readonly dies?: 'late' | undefined;
    };

/** A rendering of the card of a call. */
export type CardDrawing = Omit<Extract<SlackEvent, { op: 'card' }>, 'how' | 'ts'>;

/** The cards of calls that share a message, the lead first: on the message at `ts`, or on a new one. */
export interface CardsDrawing {
  readonly op: 'cards';
  readonly cards: readonly CardDrawing[];
  readonly ts: string | undefined;
}

/** A posted text; the streaming message at `ts` becomes its first part. */
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
