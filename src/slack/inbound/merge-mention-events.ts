import type { Clock } from '../../domain/ports/clock.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';

/** Slack sends each mention twice, as `app_mention` and as `message`. The `app_mention` event may lack the files. */
export interface MentionMerger {
  /**
   * Resolves at once, except for a mention without files. That one waits up to 1 s for its `message`
   * event and gets `mayHaveFiles`, since the files may still be missing.
   */
  waitForFiles(message: InboxMessage, isMention: boolean): Promise<InboxMessage>;
}

/** Slack waits 3 s for the acknowledgement; the other event usually arrives within milliseconds. */
const OTHER_EVENT_MS = 1_000;
const MAX_SEEN = 1_000;

/** Creates the merger of one process. If the other event reaches another replica, that replica stores its files. */
export function createMentionMerger({ clock }: { readonly clock: Clock }): MentionMerger {
  const seen = new Set<string>();
  const waiting = new Map<string, () => void>();

  function note(id: string): void {
    waiting.get(id)?.();
    const [oldest] = seen;
    if (seen.size >= MAX_SEEN && oldest !== undefined) seen.delete(oldest);
    seen.add(id);
  }

  async function wait(id: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(clock.now() + OTHER_EVENT_MS, resolve);
      waiting.set(id, () => {
        cancel();
        resolve();
      });
    });
    waiting.delete(id);
  }

  return {
    async waitForFiles(message, isMention) {
      const { id, files } = message;
      if (!isMention) {
        note(id);
        return message;
      }
      if (files !== undefined) return message;
      if (!seen.has(id)) await wait(id);
      return { ...message, mayHaveFiles: true };
    },
  };
}
