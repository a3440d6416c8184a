import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { type AgendaTask, deliverOutboxKey, type Lease } from '../../domain/ports/agenda.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import type { Store } from '../../domain/ports/store.ts';
import { type Sentence, sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';

/** Builds the step before work is given up: whoever waits for it is told, in its thread, that it stands still and why. */
export function createNotifyDeadLetter({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  return async function notifyDeadLetter({ key, fence }: Lease, error: unknown): Promise<void> {
    const about = await describeWork(store, key);
    if (!about) return;
    const text = error instanceof DamagedRecordError ? DAMAGED : describeDeadLetter(about, error);
    const now = clock.now();
    const outboxMessage: OutboxMessage = {
      id: `parked:${key.task}:${key.id}:${fence}`,
      thread: about.thread,
      kind: 'notice',
      ...toOutboxWords(sentence`:construction: ${text}`),
      createdAt: now,
    };
    await store.outbox.add([outboxMessage], [{ key: deliverOutboxKey(about.thread), dueAt: now }]);
  };
}

interface About {
  readonly thread: ThreadKey;
  readonly what: Sentence;
  readonly remedy: string;
}

function describeDeadLetter({ what, remedy }: About, error: unknown): Sentence {
  return sentence`${what} ${describeCause(error)} Nothing is lost. ${remedy}`;
}

const DAMAGED =
  'I can’t go on here: something that I have stored of this thread is damaged. Nothing of it runs; other cards still work. Whoever runs me has to restore it from a backup. Until then, ask me in a new thread.';

const WRITE_HERE = 'Write a message here, and I try again.';

/** A program that is not reached can ask; the others are said by what comes later. */
const NOBODY_WAITS: ReadonlySet<AgendaTask> = new Set([
  'say',
  'stub',
  'bulletin',
  'reroute',
  'callback',
  'damaged',
]);

/** Undefined where nobody waits for it, or where nothing can be said. */
async function describeWork(store: Store, { task, id }: Lease['key']): Promise<About | undefined> {
  if (task === 'pump' || task === 'heed') {
    // Keys of threads are made from thread keys only.
    const what = 'I have stopped trying to go on here.';
    return { thread: id as ThreadKey, what, remedy: WRITE_HERE };
  }
  if (NOBODY_WAITS.has(task)) return undefined;
  const call = await store.ledger.get(id).catch(() => undefined);
  if (!call || call.outcome) return undefined;
  const { thread } = call;
  const name = callTitlePart(call);
  if (task === 'run') {
    return { thread, what: sentence`I could not go on with ${name}.`, remedy: WRITE_HERE };
  }
  const remedy = 'Whoever runs me has to look at it.';
  return { thread, what: sentence`I could not show the state of ${name}.`, remedy };
}

/** What Slack says is worded for people; anything else is for the operator. */
function describeCause(error: unknown): string {
  return error instanceof ChatError
    ? error.message
    : 'I failed at it too often; the reason is in my log.';
}
