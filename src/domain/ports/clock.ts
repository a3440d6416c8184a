/** Cancels what was scheduled; calling it twice is harmless. */
export type Cancel = () => void;

/** The only source of time: epoch milliseconds, and callbacks at a due time (at once when it is past). */
export interface Clock {
  now(): number;
  schedule(atMs: number, run: () => void): Cancel;
}
