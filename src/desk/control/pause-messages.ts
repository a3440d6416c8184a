import { type Sentence, sentence } from '../../domain/text/sentence.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { inWords, type Say } from '../../domain/threads/outbox-message.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { placeOf, threadKey } from '../../domain/threads/thread-key.ts';

/** Says who paused the app and since when. */
export function sayPause({ by, at }: Pause): Sentence {
  return sentence`Paused by ${{ person: by.user }} since ${{ at }}: nothing new runs.`;
}

/** What a thread is told once in a pause that holds it up. */
export function heldByPause({ thread, author }: InboxMessage, pause: Pause, now: number): Say {
  const { team, channel, root: ts } = placeOf(thread);
  const root = threadKey({ team, channel, ts });
  return {
    id: `paused:${pause.at}:${root}`,
    thread: root,
    kind: 'notice',
    to: author,
    ...inWords(
      sentence`${sayPause(pause)} This thread waits, and goes on by itself when an admin resumes.`,
    ),
    createdAt: now,
  };
}
