import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** Tells work in this process that a person has stopped its thread. */
export interface StopSignals {
  /** Watches a thread: the signal aborts when it, or a thread that it is a child of, is stopped. To be released when the work is over. */
  watch(thread: ThreadKey): { readonly signal: AbortSignal; release(): void };
  /** Aborts what runs for a thread and for its child threads now; what begins later is not touched. */
  stop(thread: ThreadKey): void;
  /** The threads that are watched now, each once. */
  watched(): readonly ThreadKey[];
}

/** The reason with which a stopped thread's work is aborted. */
class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** Creates the signals of one process. */
export function createStopSignals(): StopSignals {
  const watched = new Map<AbortController, ThreadKey>();
  return {
    watch(thread) {
      const controller = new AbortController();
      watched.set(controller, thread);
      return { signal: controller.signal, release: () => watched.delete(controller) };
    },
    stop(thread) {
      for (const [controller, each] of watched) {
        if (each === thread || each.startsWith(`${thread}/`)) {
          controller.abort(new StoppedError('A person stopped the work.'));
        }
      }
    },
    watched: () => [...new Set(watched.values())],
  };
}
