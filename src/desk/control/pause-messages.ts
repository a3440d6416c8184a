import { type Sentence, sentence } from '../../domain/text/sentence.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { placeOf, threadKey } from '../../domain/threads/thread-key.ts';

/** Describes who paused the app and since when. */
export function describePause({ by, at }: Pause): Sentence {
  return sentence`Paused by ${{ person: by.user }} since ${{ at }}: nothing new runs.`;
}

/** The notice for a thread that a pause holds up, once per pause. */
export function pausedThreadNotice(
  { thread, author }: InboxMessage,
  pause: Pause,
  now: number,
): OutboxMessage {
  const { team, channel, root: ts } = placeOf(thread);
  const root = threadKey({ team, channel, ts });
  return {
    id: `paused:${pause.at}:${root}`,
    thread: root,
    kind: 'notice',
    to: author,
    ...toOutboxWords(
      sentence`${describePause(pause)} This thread will continue when an admin resumes.`,
    ),
    createdAt: now,
  };
}
