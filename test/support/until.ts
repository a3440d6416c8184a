/** Lets the event loop turn until it holds; what never comes is ended by the runner's time-out. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
