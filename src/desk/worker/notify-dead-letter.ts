import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { type AgendaTask, deliverOutboxKey, type Lease } from '../../domain/ports/agenda.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import type { Store } from '../../domain/ports/store.ts';
import { type Sentence, sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';

/**
 * Builds the notice before a task becomes a dead letter: the thread is told what has stopped and
 * why.
 */
export function createNotifyDeadLetter({ store, clock }: Pick<DeskDeps, 'store' | 'clock'>) {
  return async function notifyDeadLetter({ key, fence }: Lease, error: unknown): Promise<void> {
    const affected = await describeWork(store, key);
    if (!affected) return;
    const text =
      error instanceof DamagedRecordError ? DAMAGED : describeDeadLetter(affected, error);
    const now = clock.now();
    const outboxMessage: OutboxMessage = {
      id: `parked:${key.task}:${key.id}:${fence}`,
      thread: affected.thread,
      kind: 'notice',
      ...toOutboxWords(sentence`:construction: ${text}`),
      createdAt: now,
    };
    await store.outbox.add(
      [outboxMessage],
      [{ key: deliverOutboxKey(affected.thread), dueAt: now }],
    );
  };
}

interface AffectedWork {
  readonly thread: ThreadKey;
  readonly what: Sentence;
  readonly remedy: string;
}

function describeDeadLetter({ what, remedy }: AffectedWork, error: unknown): Sentence {
  return sentence`${what} ${describeCause(error)} Nothing is lost. ${remedy}`;
}

const DAMAGED =
  'I can’t continue here: a stored record of this thread is damaged. Nothing in this thread runs; other cards still work. The person who runs this app has to restore it from a backup. Until then, ask me in a new thread.';

const WRITE_HERE = 'Write a message here and I’ll try again.';

/** Programs can poll if callbacks fail; the other tasks are repeated by later work. */
const SILENT_TASKS: ReadonlySet<AgendaTask> = new Set([
  'say',
  'stub',
  'bulletin',
  'reroute',
  'callback',
  'damaged',
]);

/** Undefined if nobody waits for it, or if there is no thread to tell. */
async function describeWork(
  store: Store,
  { task, id }: Lease['key'],
): Promise<AffectedWork | undefined> {
  if (task === 'pump' || task === 'heed') {
    // Ids of thread tasks are thread keys.
    const what = 'I have stopped trying to continue here.';
    return { thread: id as ThreadKey, what, remedy: WRITE_HERE };
  }
  if (SILENT_TASKS.has(task)) return undefined;
  const call = await store.ledger.get(id).catch(() => undefined);
  if (!call || call.outcome) return undefined;
  const { thread } = call;
  const name = callTitlePart(call);
  if (task === 'run') {
    return { thread, what: sentence`I could not continue ${name}.`, remedy: WRITE_HERE };
  }
  const remedy = 'The person who runs this app has to check it.';
  return { thread, what: sentence`I could not show the state of ${name}.`, remedy };
}

/** Slack errors are worded for people; other errors are for the operator. */
function describeCause(error: unknown): string {
  return error instanceof ChatError
    ? error.message
    : 'It failed too often; the reason is in my log.';
}
