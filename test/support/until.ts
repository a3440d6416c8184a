/** Lets the event loop turn until it holds; what never comes is ended by the runner's time-out. `everyMs` spares what is asked over a network. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  everyMs?: number,
): Promise<void> {
  while (!(await holds())) {
    await new Promise((resolve) => {
      if (everyMs === undefined) setImmediate(resolve);
      else setTimeout(resolve, everyMs);
    });
  }
}
