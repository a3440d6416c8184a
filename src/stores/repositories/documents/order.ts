let last = 0;

/** Returns a text that sorts behind all that this process was given before, and mostly behind what others were given at an earlier time (ms): microseconds, in base 36. */
export function nextOrder(at: number): string {
  last = Math.max(last + 1, at * 1_000);
  return last.toString(36).padStart(11, '0');
}
