/** One unit that this process holds, with its tasks. */
import type { Task } from '../records.ts';
import type { HoldCache } from './hold-cache.ts';

/** A task to start, and the hold that it runs under. */
export interface HeldTask extends Task {
  readonly token: number;
  readonly until: number;
}

/** How the end of a task is written. */
export interface TaskCompletion {
  /** Tasks of the unit that were done before. */
  readonly done: readonly string[];
  /** Whether the unit is released, since it has no other task in hand. */
  readonly releases: boolean;
  /** Must be called once the write succeeded or failed. */
  over(): void;
}

export interface UnitHold {
  readonly unit: string;
  readonly token: number;
  readonly cache: HoldCache;
  /** How many leases had begun when it was taken. */
  readonly lease: number;
  until: number;
  /** When more tasks may be handed out; infinite if unknown. */
  next: number;
  readonly inHand: Set<string>;
  readonly done: Set<string>;
  /** Tasks that were scheduled again while they ran; they must run once more. */
  readonly again: Set<string>;
  waiting: Task[];
}

export const isInHand = ({ inHand, waiting }: UnitHold, id: string): boolean =>
  inHand.has(id) || waiting.some((task) => task.id === id);

export const isIdle = ({ inHand, waiting }: UnitHold): boolean =>
  inHand.size === 0 && waiting.length === 0;
