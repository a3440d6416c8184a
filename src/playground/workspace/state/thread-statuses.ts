import type { Cancel, Clock } from '../../../domain/ports/clock.ts';

/**
 * Slack removes a status after this time.
 * https://docs.slack.dev/reference/methods/assistant.threads.setStatus
 */
const STATUS_LIFE_MS = 120_000;

export interface ThreadStatus {
  readonly channel: string;
  readonly threadTs: string;
  readonly status: string;
}

/** The visible status lines. */
export interface ThreadStatuses {
  list(): readonly ThreadStatus[];
  /** Shows a status for two minutes. An empty one removes it. */
  set(status: ThreadStatus): void;
  /** Removes the status of a thread, as a post into it does. */
  clear(channel: string, threadTs: string | undefined): void;
  close(): void;
}

/** Creates an empty list. Calls `changed` after each change. */
export function createThreadStatuses(clock: Clock, changed: () => void): ThreadStatuses {
  const visible = new Map<string, { status: ThreadStatus; cancel: Cancel }>();
  const clear = (channel: string, threadTs: string | undefined): void => {
    const key = `${channel} ${threadTs}`;
    const found = visible.get(key);
    if (found !== undefined) {
      found.cancel();
      visible.delete(key);
      changed();
    }
  };
  return {
    list: () => [...visible.values()].map(({ status }) => status),
    set: (status) => {
      clear(status.channel, status.threadTs);
      if (status.status !== '') {
        const cancel = clock.schedule(clock.now() + STATUS_LIFE_MS, () =>
          clear(status.channel, status.threadTs),
        );
        visible.set(`${status.channel} ${status.threadTs}`, { status, cancel });
        changed();
      }
    },
    clear,
    close: () => {
      for (const { cancel } of visible.values()) {
        cancel();
      }
    },
  };
}
