/** Runs work after everything earlier in the same queue has settled. */
export type KeyedQueues = <Result>(queue: string, work: () => Promise<Result>) => Promise<Result>;

/** Creates the queues of one process. Empty queues are removed. */
export function createKeyedQueues(): KeyedQueues {
  const last = new Map<string, Promise<unknown>>();

  return async function inQueue<Result>(
    queue: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const result = (last.get(queue) ?? Promise.resolve()).then(work);
    // The caller of that work handles its error.
    const settled = result.catch(() => {});
    last.set(queue, settled);
    try {
      return await result;
    } finally {
      if (last.get(queue) === settled) last.delete(queue);
    }
  };
}
