/**
 * Finds stalled work: work whose task is missing on the agenda because of a bug or a lost write.
 * Work that waits for people, for a time, or as a dead letter is not stalled.
 */

import { DamagedRecordError, type OnDamaged } from '../../domain/audit/damaged-record.ts';
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import {
  type AgendaKey,
  advanceTurnKey,
  deliverOutboxKey,
  expireKey,
  runCallKey,
  threadCommandsKey,
  type Wake,
} from '../../domain/ports/agenda.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

const PAGE = 100;
/** In order of importance. */
const LIVE_STATUSES: readonly CallStatus[] = ['approved', 'running', 'unknown', 'pending'];

type Reads = Pick<Store, 'ledger' | 'inbox' | 'outbox' | 'agenda' | 'pause'>;

/** Yields the missing tasks page by page; each page costs a few reads. */
export async function* findStalledWork(
  { ledger, inbox, outbox, agenda, pause }: Reads,
  clock: Clock,
  onDamaged: OnDamaged,
): AsyncGenerator<readonly Wake[]> {
  /** Threads that wait for one of their calls. */
  const waiting = new Set<ThreadKey>();
  const isPaused = (await pause.read()) !== undefined;

  async function unscheduled(wakes: readonly Wake[]): Promise<readonly Wake[]> {
    const lost = new Set((await agenda.unscheduled(wakes.map(({ key }) => key))).map(nameOf));
    return wakes.filter(({ key }) => lost.has(nameOf(key)));
  }

  async function* stalledCalls(status: CallStatus): AsyncGenerator<readonly Wake[]> {
    let after: string | undefined;
    for (;;) {
      const calls = await ledger.withStatus(status, { after, limit: PAGE });
      for (const call of calls) if (isOpen(call)) waiting.add(call.thread);
      yield await unscheduled(calls.flatMap((call) => wakesOf(call, isPaused, clock.now())));
      after = calls.at(-1)?.id;
      if (calls.length < PAGE) return;
    }
  }

  /** A thread without an open call can continue its turn, or start its first waiting message. */
  async function needsAdvance(thread: ThreadKey): Promise<boolean> {
    try {
      const current = await inbox.current(thread);
      if (!current) return (await inbox.waiting(thread)).length > 0;
      return !(await ledger.ofThread(thread, current.id)).some(isOpen);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      onDamaged(error);
      return false;
    }
  }

  async function* stalledThreads(): AsyncGenerator<readonly Wake[]> {
    const threads = (await inbox.threadsWithMessages()).filter((thread) => !waiting.has(thread));
    for (const page of pagesOf(threads)) {
      const wakes: Wake[] = [];
      for (const { key } of await unscheduled(wakeAll(page.map(advanceTurnKey), clock.now()))) {
        // Ids of thread tasks are thread keys.
        const thread = key.id as ThreadKey;
        if (!(await needsAdvance(thread))) continue;
        wakes.push(...wakeAll([advanceTurnKey(thread), threadCommandsKey(thread)], clock.now()));
      }
      yield wakes;
    }
  }

  for (const status of LIVE_STATUSES) yield* stalledCalls(status);
  // A pause holds up threads without a task; resuming wakes them.
  if (!isPaused) yield* stalledThreads();
  for (const page of pagesOf(await outbox.threadsWithPendingMessages())) {
    yield await unscheduled(wakeAll(page.map(deliverOutboxKey), clock.now()));
  }
}

/**
 * The tasks that a live call must have on the agenda. A delegated call has none: its work is its
 * child thread.
 */
function wakesOf(call: Call, isPaused: boolean, now: number): readonly Wake[] {
  const { status, child, deadlineAt } = call;
  const { runBy } = behaviourOf(call);
  const isOurs = runBy !== 'caller';
  const isRunHere = runBy === 'worker' && !child;
  const runs = (status === 'approved' && isOurs) || (status === 'running' && isRunHere);
  const isRun = status === 'running' && isOurs;
  const expires = deadlineAt !== undefined && !isRun && !call.outcome;
  return [
    ...(runs && !isPaused ? [{ key: runCallKey(call), dueAt: now }] : []),
    ...(expires ? [{ key: expireKey(call), dueAt: deadlineAt }] : []),
  ];
}

function isOpen({ outcome, status }: Call): boolean {
  return outcome === undefined && LIVE_STATUSES.includes(status);
}

function wakeAll(keys: readonly AgendaKey[], dueAt: number): readonly Wake[] {
  return keys.map((key) => ({ key, dueAt }));
}

function nameOf({ task, id }: AgendaKey): string {
  return `${task}:${id}`;
}

function* pagesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += PAGE) yield all.slice(at, at + PAGE);
}
