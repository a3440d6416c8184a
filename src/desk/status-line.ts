import type { Chat } from '../domain/chat.ts';
import type { Log } from '../domain/log.ts';
import type { Sentence } from '../domain/sentence.ts';
import type { ThreadKey } from '../domain/thread-key.ts';

/** The status lines of threads: a courtesy that never holds up the work; the newest text of a thread wins. */
export interface StatusLine {
  set(thread: ThreadKey, text: Sentence): void;
  /** Resolves when nothing is on its way. */
  settled(): Promise<void>;
}

/** Creates the status lines on top of the chat. */
export function createStatusLine(chat: Pick<Chat, 'setStatus'>, log: Log): StatusLine {
  const wanted = new Map<ThreadKey, Sentence>();
  const underWay = new Map<ThreadKey, Promise<void>>();

  async function bringUp(thread: ThreadKey): Promise<void> {
    for (;;) {
      const text = wanted.get(thread);
      if (text === undefined) break;
      wanted.delete(thread);
      try {
        await chat.setStatus(thread, text);
      } catch (error) {
        log.warn({ err: error, thread }, 'The status line was not set.');
      }
    }
    underWay.delete(thread);
  }

  return {
    set(thread, text) {
      wanted.set(thread, text);
      if (!underWay.has(thread)) underWay.set(thread, bringUp(thread));
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}
