import type { DamagedRecordError } from '../domain/audit/damaged-record.ts';
import type { ThreadKey } from '../domain/threads/thread-key.ts';

/** Something that happens in a part of the app, and concerns parts that are created later. */
interface AppEvent<Args extends readonly unknown[]> {
  readonly emit: (...args: Args) => void;
  readonly on: (listener: (...args: Args) => void) => void;
}

function createEvent<Args extends readonly unknown[]>(): AppEvent<Args> {
  const listeners: ((...args: Args) => void)[] = [];
  return {
    emit: (...args) => {
      for (const listener of listeners) listener(...args);
    },
    on: (listener) => {
      listeners.push(listener);
    },
  };
}

/** Creates the events of one app. */
export function createAppEvents() {
  return {
    /** The records have changed. */
    wake: createEvent<[]>(),
    /** A record could not be read. */
    damaged: createEvent<[DamagedRecordError]>(),
    /** A piece of the agent's answer arrived; true if the text before it is discarded. */
    answer: createEvent<[ThreadKey, string, boolean]>(),
  };
}

export type AppEvents = ReturnType<typeof createAppEvents>;
