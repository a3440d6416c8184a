/** Cancels a scheduled callback. Repeating it is harmless. */
export type Cancel = () => void;

/** The only source of time: epoch milliseconds, and callbacks at a given time (at once if past). */
export interface Clock {
  now(): number;
  schedule(atMs: number, run: () => void): Cancel;
}
