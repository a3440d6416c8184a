const PATIENCE_MS = 60_000;

/** Turns the event loop until the condition holds; rejects after a minute. `everyMs` limits requests over a network. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  everyMs?: number,
): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`It did not hold within a minute: ${holds}`);
    await new Promise((resolve) => {
      if (everyMs === undefined) setImmediate(resolve);
      else setTimeout(resolve, everyMs);
    });
  }
}
