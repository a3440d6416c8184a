import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** Notifies work in this process that a person has stopped its thread. */
export interface StopSignals {
  /**
   * The signal aborts when the thread or one of its parent threads is stopped. Release it when the
   * work is done.
   */
  watch(thread: ThreadKey): { readonly signal: AbortSignal; release(): void };
  /**
   * Aborts what runs now for a thread and its child threads; work that starts later is not
   * affected.
   */
  stop(thread: ThreadKey): void;
  /** The threads that are watched now, each once. */
  watched(): readonly ThreadKey[];
}

/** The abort reason of stopped work. */
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
