import type { Cancel, Clock } from '../../../domain/ports/clock.ts';

/** Slack takes a status back by itself. https://docs.slack.dev/reference/methods/assistant.threads.setStatus */
const STATUS_LIFE_MS = 120_000;

/** A status line of the app in one thread. */
export interface ThreadStatus {
  readonly channel: string;
  readonly threadTs: string;
  readonly status: string;
}

/** The status lines that show now. */
export interface ThreadStatuses {
  list(): readonly ThreadStatus[];
  /** Shows a status for two minutes; an empty one takes it away. */
  set(status: ThreadStatus): void;
  /** Takes the status of the thread away, as a post into it does. */
  clear(channel: string, threadTs: string | undefined): void;
  close(): void;
}

/** Creates the list; it rings `changed` at each change. */
export function createThreadStatuses(clock: Clock, changed: () => void): ThreadStatuses {
  const shown = new Map<string, { status: ThreadStatus; cancel: Cancel }>();
  const clear = (channel: string, threadTs: string | undefined): void => {
    const key = `${channel} ${threadTs}`;
    const found = shown.get(key);
    if (found !== undefined) {
      found.cancel();
      shown.delete(key);
      changed();
    }
  };
  return {
    list: () => [...shown.values()].map(({ status }) => status),
    set: (status) => {
      clear(status.channel, status.threadTs);
      if (status.status !== '') {
        const cancel = clock.schedule(clock.now() + STATUS_LIFE_MS, () =>
          clear(status.channel, status.threadTs),
        );
        shown.set(`${status.channel} ${status.threadTs}`, { status, cancel });
        changed();
      }
    },
    clear,
    close: () => {
      for (const { cancel } of shown.values()) {
        cancel();
      }
    },
  };
}
