import { toModelFailure } from './model-failure.ts';

/**
 * Makes the way to open streams of a server that is asked to count tokens: `open` is told whether to
 * ask. Some servers refuse a request that asks; those are not asked from then on.
 */
export function createCountedStream<T>() {
  let counting: 'untried' | 'taken' | 'refused' = 'untried';

  async function* mark(chunks: AsyncIterable<T>, outcome: 'taken' | 'refused'): AsyncGenerator<T> {
    for await (const chunk of chunks) {
      counting = outcome;
      yield chunk;
    }
  }

  return async function* stream(open: (asks: boolean) => AsyncIterable<T>): AsyncGenerator<T> {
    if (counting === 'refused') return yield* open(false);
    try {
      yield* mark(open(true), 'taken');
    } catch (error) {
      if (counting !== 'untried' || toModelFailure(error) !== 'rejected') throw error;
      // Only when it goes well without was the question what the server did not like.
      yield* mark(open(false), 'refused');
    }
  };
}
