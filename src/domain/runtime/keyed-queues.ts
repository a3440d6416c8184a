/** Runs work after everything earlier in the same queue has settled. */
export type KeyedQueues = <Result>(queue: string, work: () => Promise<Result>) => Promise<Result>;

/** Creates the queues of one process. Empty queues are removed. */
export function createKeyedQueues(): KeyedQueues {
  const last = new Map<string, Promise<unknown>>();

  return async function inQueue<Result>(
    queue: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const mine = (last.get(queue) ?? Promise.resolve()).then(work);
    // The caller of that work handles its error.
    const over = mine.catch(() => {});
    last.set(queue, over);
    try {
      return await mine;
    } finally {
      if (last.get(queue) === over) last.delete(queue);
    }
  };
}
