import type { InboxMessage } from '../domain/message.ts';
import type { Pause } from '../domain/pause.ts';
import type { Say } from '../domain/store.ts';
import { placeOf, threadKey } from '../domain/thread-key.ts';

/** Says who paused the app and since when, in Slack's markup for the reader's own time zone. */
export function sayPause({ by, at }: Pause): string {
  const utc = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const when = `<!date^${Math.floor(at / 1000)}^{date_short_pretty} at {time}|${utc}>`;
  return `Paused by <@${by.user}> since ${when}: nothing new runs.`;
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
    text: `${sayPause(pause)} This thread waits, and goes on by itself when an admin resumes.`,
    createdAt: now,
  };
}
