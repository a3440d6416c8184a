let last = 0;

/** Returns a sort text: after all earlier ones of this process, and mostly after other processes' at earlier times (ms). Microseconds in base 36. */
export function nextOrder(at: number): string {
  last = Math.max(last + 1, at * 1_000);
  return last.toString(36).padStart(11, '0');
}
