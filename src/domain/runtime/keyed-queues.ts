/** Does a piece of work when all of its queue that came before have ended, however they did. */
export type KeyedQueues = <Result>(queue: string, work: () => Promise<Result>) => Promise<Result>;

/** Creates the queues of one process; one is forgotten when it is empty. */
export function createKeyedQueues(): KeyedQueues {
  const last = new Map<string, Promise<unknown>>();

  return async function inQueue<Result>(
    queue: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const mine = (last.get(queue) ?? Promise.resolve()).then(work);
    // How it ended is its own caller's business.
    const over = mine.catch(() => {});
    last.set(queue, over);
    try {
      return await mine;
    } finally {
      if (last.get(queue) === over) last.delete(queue);
    }
  };
}
