import { type Call, isTerminal } from '../../domain/calls/call.ts';
import { isRunByGraph } from '../../domain/calls/call-origin.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';

/** What a thread waits for, in its helpers' threads too. */
export interface PendingWork {
  /** Its own calls without an outcome, in the order in which they were made. */
  readonly calls: readonly Call[];
  readonly helpers: readonly PendingHelper[];
}

/** A helper at work; it thinks when it has no call open. */
export interface PendingHelper extends PendingWork {
  readonly name: string;
}

type Reads = Pick<Store, 'ledger' | 'inbox'>;

/** Reads what waits behind a thread's open calls, down to the deepest helper. */
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

/** The calls of a turn that have no outcome yet. */
export async function readOpenCalls(
  store: Pick<Store, 'ledger'>,
  thread: ThreadKey,
  turn: string,
): Promise<readonly Call[]> {
  const calls = await store.ledger.ofThread(thread, turn);
  return calls.filter(({ outcome }) => outcome === undefined);
}

/** The calls that themselves wait, helpers' included: all but those whose work a helper does. */
export function leafCallsOf({ calls, helpers }: PendingWork): readonly Call[] {
  return [...calls.filter(({ child }) => child === undefined), ...helpers.flatMap(leafCallsOf)];
}

/** Tells whether people are all that is waited for: no tool runs, no helper thinks, nothing is unknown. */
export function waitsForPeopleOnly(waiting: PendingWork): boolean {
  return (
    waiting.calls.every((call) => call.status === 'pending' || call.child || isHeld(call)) &&
    waiting.helpers.every((helper) => helper.calls.length > 0 && waitsForPeopleOnly(helper))
  );
}

/** Approved and claimed, it waits for the rest of its batch: nothing of it runs while its thread waits. */
function isHeld(call: Call): boolean {
  return call.status === 'running' && isRunByGraph(call);
}
