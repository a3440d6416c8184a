import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { AuditDraft, AuditEntry } from '../../../../src/domain/audit/audit.ts';
import type { Call, CallStatus } from '../../../../src/domain/calls/call.ts';
import { type Step, TRANSITIONS } from '../../../../src/domain/calls/transitions.ts';
import {
  type AgendaKey,
  advanceTurnKey,
  type Lease,
  type ThreadFence,
} from '../../../../src/domain/ports/agenda.ts';
import type { Store } from '../../../../src/domain/ports/store.ts';
import type { InboxMessage } from '../../../../src/domain/threads/message.ts';
import type { OutboxMessage } from '../../../../src/domain/threads/outbox-message.ts';
import { type ThreadKey, threadKey } from '../../../../src/domain/threads/thread-key.ts';
import { aCall, REQUESTER, THREAD } from '../../builders/a-call.ts';
import { claimOne } from '../../builders/claim-one.ts';
import { createManualClock, type ManualClock } from '../../manual-clock.ts';

/** An empty store, how to reopen its data like a restarted process, and how to remove it. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Closes the store and opens another one on the same data. */
  reopen(): Promise<Store>;
  /** Closes the open store and removes the data. */
  cleanup(): Promise<void>;
}

export type MakeStore = (clock: ManualClock) => Promise<StoreUnderTest>;

export interface StoreBench {
  readonly store: Store;
  readonly clock: ManualClock;
  reopen(): Promise<Store>;
}

export type OpenBench = (t: TestContext) => Promise<StoreBench>;

export const LEASE_MS = 30_000;
export const OTHER_THREAD: ThreadKey = threadKey({
  team: 'T1',
  channel: 'C2',
  ts: '1700000001.000100',
});

/** Makes the function that gives each test its own store, removed when the test ends. */
export function opener(make: MakeStore): OpenBench {
  return async (t) => {
    const clock = createManualClock();
    const { cleanup, reopen, store } = await make(clock);
    t.after(cleanup);
    return { store, clock, reopen };
  };
}

/** Claims due work until it is the turn of the key. */
export async function claimKey(
  { store, clock }: Pick<StoreBench, 'store' | 'clock'>,
  key: AgendaKey,
): Promise<Lease> {
  await store.agenda.wake([{ key, dueAt: clock.now() }]);
  for (;;) {
    const lease = await claimOne(store.agenda, clock.now(), LEASE_MS);
    assert.ok(lease, `${key.task} ${key.id} could not be claimed`);
    if (lease.key.task === key.task && lease.key.id === key.id) return lease;
  }
}

/** Gives the thread to a worker. */
export async function holdThread(
  bench: Pick<StoreBench, 'store' | 'clock'>,
  thread: ThreadKey = THREAD,
): Promise<ThreadFence> {
  const lease = await claimKey(bench, advanceTurnKey(thread));
  return { thread, token: lease.fence };
}

/** Lets the lease of a worker expire and gives the thread to another; returns both fences. */
export async function loseThread(
  bench: StoreBench,
): Promise<{ readonly old: ThreadFence; readonly young: ThreadFence }> {
  const old = await holdThread(bench);
  await bench.clock.advance(LEASE_MS);
  return { old, young: await holdThread(bench) };
}

/** Builds a proposed call. */
export function aProposal(patch: Partial<Call> = {}): Call {
  const {
    route: _none,
    deadlineAt: _never,
    ...call
  } = aCall({ status: 'proposed', revision: 1, ...patch });
  return call;
}

/** Builds the step from a call into a status; the cause determines the attempt number. */
export function stepTo(before: Call, to: CallStatus, cause: Step['cause']): Step {
  const grows = cause === 'edit' || cause === 'rerun';
  return {
    cause,
    call: {
      ...before,
      status: to,
      revision: before.revision + 1,
      attempt: before.attempt + (grows ? 1 : 0),
    },
  };
}

/** Stores a call and moves it into a status on the shortest path. */
export async function storeCall(
  store: Store,
  fence: ThreadFence,
  status: CallStatus,
  patch: Partial<Call> = {},
): Promise<Call> {
  let call = await store.ledger.propose(aProposal(patch), {}, fence);
  const steps: Step[] = [];
  for (const [to, cause] of wayTo(status)) {
    const step = stepTo(call, to, cause);
    steps.push(step);
    call = step.call;
  }
  const [first] = steps;
  if (!first) return call;
  const proposed = { ...call, ...aProposal(patch) };
  assert.equal(await store.ledger.write(proposed, steps, {}), true);
  return call;
}

function wayTo(status: CallStatus): readonly (readonly [CallStatus, Step['cause']])[] {
  const ways = new Map<CallStatus, readonly (readonly [CallStatus, Step['cause']])[]>([
    ['proposed', []],
  ]);
  for (const [from, way] of ways) {
    for (const [edgeFrom, to, cause] of TRANSITIONS) {
      if (edgeFrom === from && !ways.has(to)) ways.set(to, [...way, [to, cause]]);
    }
  }
  const way = ways.get(status);
  assert.ok(way, `no way leads to ${status}`);
  return way;
}

/** Builds a message of the requester; its id and its time come from `ts`. */
export function aMessage(ts: string, patch: Partial<InboxMessage> = {}): InboxMessage {
  return {
    id: `T1/C1/${ts}`,
    thread: THREAD,
    author: REQUESTER,
    ts,
    text: `message of ${ts}`,
    receivedAt: 1_000,
    ...patch,
  };
}

export function aSay(id: string, patch: Partial<OutboxMessage> = {}): OutboxMessage {
  return { id, thread: THREAD, kind: 'notice', text: `say ${id}`, createdAt: 1_000, ...patch };
}

export function aDraft(event: string): AuditDraft {
  return { at: 1_000, event, subject: 'call_x', actor: 'T1/U1', detail: { n: 1, why: 'ünïcode' } };
}

/** Returns the events of the audit, oldest first. */
export async function eventsOf(store: Store): Promise<readonly string[]> {
  const entries: readonly AuditEntry[] = await store.audit.read(1, 1_000);
  return entries.map((entry) => entry.event);
}
