import { type Call, isTerminal } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** What a thread waits for, including its helper threads. */
export interface PendingWork {
  /** Its own calls without an outcome, in order of creation. */
  readonly calls: readonly Call[];
  readonly helpers: readonly PendingHelper[];
}

/** A working helper; it is thinking if it has no open call. */
export interface PendingHelper extends PendingWork {
  readonly name: string;
}

type Reads = Pick<Store, 'ledger' | 'inbox'>;

/** Reads what a thread's open calls wait for, down to the deepest helper. */
export async function readPendingWork(store: Reads, calls: readonly Call[]): Promise<PendingWork> {
  const helpers: PendingHelper[] = [];
  for (const call of calls) {
    if (call.child && !isTerminal(call)) helpers.push(await readHelper(store, call.child));
  }
  return { calls, helpers };
}

async function readHelper(store: Reads, thread: ThreadKey): Promise<PendingHelper> {
  const message = (await store.inbox.current(thread)) ?? (await store.inbox.waiting(thread)).at(0);
  if (!message) return { name: 'a helper', calls: [], helpers: [] };
  const calls = await readOpenCalls(store, thread, message.id);
  const name = message.delegated?.agent ?? 'a helper';
  return { name, ...(await readPendingWork(store, calls)) };
}

/** The calls of a turn without an outcome. */
export async function readOpenCalls(
  store: Pick<Store, 'ledger'>,
  thread: ThreadKey,
  turn: string,
): Promise<readonly Call[]> {
  const calls = await store.ledger.ofThread(thread, turn);
  return calls.filter(({ outcome }) => outcome === undefined);
}

/**
 * The calls that wait themselves, including those of helpers; calls delegated to a helper are left
 * out.
 */
export function leafCallsOf({ calls, helpers }: PendingWork): readonly Call[] {
  return [...calls.filter(({ child }) => child === undefined), ...helpers.flatMap(leafCallsOf)];
}

/**
 * True if the thread waits only for people: no tool runs, no helper is thinking, no outcome is
 * unknown.
 */
export function waitsForPeopleOnly(waiting: PendingWork): boolean {
  return (
    waiting.calls.every((call) => call.status === 'pending' || call.child || isHeld(call)) &&
    waiting.helpers.every((helper) => helper.calls.length > 0 && waitsForPeopleOnly(helper))
  );
}

/** Claimed, but not handed to the graph before the rest of its batch is decided. */
function isHeld(call: Call): boolean {
  return call.status === 'running' && behaviourOf(call).runBy === 'graph';
}
