/** A full store: calls in every state and their threads, written through the ports. */

import type { Call, CardPlace } from '../../../src/domain/calls/call.ts';
import { type Step, stepFrom } from '../../../src/domain/calls/transitions.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import {
  type AgendaKey,
  advanceTurnKey,
  expireKey,
  type Lease,
  PRIORITY_LEAD_MS,
  runCallKey,
} from '../../../src/domain/ports/agenda.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import type { InboxMessage } from '../../../src/domain/threads/message.ts';
import { type ThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { aCall } from '../builders/a-call.ts';

/** A call to be stored, with its card. */
export interface SeedCall {
  readonly state: 'pending' | 'approved' | 'running' | 'succeeded';
  readonly card: CardPlace;
}

/** Calls of one turn of one thread. */
export interface SeedThread {
  readonly channel: string;
  readonly root: string;
  readonly calls: readonly SeedCall[];
}

const LEASE_MS = 1;
/** This number of threads is written at a time, so that their commits share the waits for the disk. */
const AT_A_TIME = 25;

/** A thread with its message and its calls as proposed. */
interface Seeded {
  readonly message: InboxMessage;
  readonly calls: readonly (SeedCall & { readonly proposed: Call })[];
}

/** Stores the threads as they would be after an hour, with dead workers. */
export async function seedThreads(
  store: Store,
  requester: Person,
  threads: readonly SeedThread[],
  now: number,
): Promise<void> {
  const at = now - 3_600_000;
  const all = threads.map((seed, index) => toSeeded(seed, index, requester, at));
  for (let from = 0; from < all.length; from += AT_A_TIME) {
    const some = all.slice(from, from + AT_A_TIME);
    const leaseOf = await claimAll(store, some.flatMap(keysAtWork), at);
    await Promise.all(some.map((seeded) => seedThread(store, seeded, leaseOf, at)));
  }
}

function toSeeded(seed: SeedThread, index: number, requester: Person, at: number): Seeded {
  const { calls, channel, root } = seed;
  const thread = threadKey({ team: requester.team, channel, ts: root });
  const message = messageOf(thread, seed, requester, at);
  const propose = (position: number) => proposal(`seed${index}`, message, position, calls.length);
  return {
    message,
    calls: calls.map((call, position) => ({ ...call, proposed: propose(position) })),
  };
}

/** The tasks that its worker had leased when it died. */
function keysAtWork({ calls, message }: Seeded): readonly AgendaKey[] {
  const running = calls.filter(({ state }) => state === 'running');
  return [advanceTurnKey(message.thread), ...running.map(({ proposed }) => runCallKey(proposed))];
}

/** Claims the keys, the only ones due this long, and keeps them, like a worker that dies. */
async function claimAll(
  { agenda }: Store,
  keys: readonly AgendaKey[],
  at: number,
): Promise<(key: AgendaKey) => Lease> {
  const dueAt = at - 2 * PRIORITY_LEAD_MS;
  await agenda.wake(keys.map((key) => ({ key, dueAt })));
  const { leases } = await agenda.claim(dueAt, LEASE_MS + 2 * PRIORITY_LEAD_MS, keys.length);
  const byId = new Map(leases.map((lease) => [lease.key.id, lease]));
  return ({ id }) => {
    const lease = byId.get(id);
    if (!lease) throw new Error(`${id} was not among those that were due.`);
    return lease;
  };
}

async function seedThread(
  store: Store,
  { calls, message }: Seeded,
  leaseOf: (key: AgendaKey) => Lease,
  at: number,
): Promise<void> {
  const { thread } = message;
  const pump = leaseOf(advanceTurnKey(thread));
  const fence = { thread, token: pump.fence };
  await store.inbox.receive(message, {});
  await store.inbox.begin(message.id, {}, fence);
  for (const { card, proposed, state } of calls) {
    const runFence = state === 'running' ? leaseOf(runCallKey(proposed)).fence : pump.fence;
    const [asked, ...others] = stepsTo(proposed, state, runFence);
    const wakes = [{ key: expireKey(proposed), dueAt: at + REQUESTER_ROUTE.deadlineMs }];
    const call = await store.ledger.propose(proposed, { wakes }, fence, [asked]);
    await store.ledger.placeCard(call.id, card);
    const runs = state === 'approved' ? [{ key: runCallKey(call), dueAt: at }] : [];
    if (others.length > 0) await store.ledger.write(call, others, { wakes: runs });
    if (state === 'succeeded') await store.ledger.markDelivered([call.id], fence);
  }
  const isOver = calls.every(({ state }) => state === 'succeeded');
  if (isOver) await store.inbox.end(message.id, 'turn', {}, fence);
  await store.agenda.finish(pump);
}

function messageOf(
  thread: ThreadKey,
  { channel, root }: SeedThread,
  author: Person,
  receivedAt: number,
): InboxMessage {
  const id = `${author.team}/${channel}/${root}`;
  return { id, thread, author, ts: root, text: 'note it', receivedAt };
}

function proposal(name: string, message: InboxMessage, position: number, siblings: number): Call {
  const args = JSON.stringify({ text: `${name}-${position}` });
  const {
    route: _none,
    deadlineAt: _never,
    ...call
  } = aCall({
    id: `call_${name}x${position}`.padEnd(27, '0'),
    thread: message.thread,
    turn: message.id,
    messageId: `ai_${name}`,
    toolCallId: `tc_${position}`,
    position,
    siblings,
    tool: 'note',
    args,
    proposedArgs: args,
    requester: message.author,
    askedAt: message.receivedAt,
    createdAt: message.receivedAt,
    updatedAt: message.receivedAt,
    status: 'proposed',
    revision: 1,
  });
  return call;
}

/** The step to its card, and the steps after it. */
function stepsTo(proposed: Call, state: SeedCall['state'], fence: number): [Step, ...Step[]] {
  const { createdAt: at, requester: by } = proposed;
  const deadlineAt = at + REQUESTER_ROUTE.deadlineMs;
  const asked = stepFrom(proposed, 'gate', at, {
    status: 'pending',
    route: REQUESTER_ROUTE,
    deadlineAt,
  });
  if (state === 'pending') return [asked];
  const verdict = { kind: 'approve', by, at } as const;
  const vote = { status: 'approved', votes: [{ by, at }], verdict } as const;
  const approved = stepFrom(asked.call, 'approve', at, vote);
  if (state === 'approved') return [asked, approved];
  const claim = { status: 'running', claim: { fence, at } } as const;
  const running = stepFrom(approved.call, 'claim', at, claim);
  if (state === 'running') return [asked, approved, running];
  const end = { status: 'succeeded', outcome: { kind: 'result', text: 'note is done.' } } as const;
  return [asked, approved, running, stepFrom(running.call, 'finish', at, end)];
}
