/** A store that is full: calls in every state and the threads that they belong to, written through the ports. */
import { AHEAD_MS, expireKey, type Lease, pumpKey, runKey } from '../../src/domain/agenda.ts';
import type { Call, CardPlace } from '../../src/domain/call.ts';
import type { InboxMessage } from '../../src/domain/message.ts';
import type { Person } from '../../src/domain/person.ts';
import { REQUESTER_ROUTE } from '../../src/domain/route.ts';
import type { Store } from '../../src/domain/store.ts';
import { type ThreadKey, threadKey } from '../../src/domain/thread-key.ts';
import { type Cause, type Step, stepFrom } from '../../src/domain/transitions.ts';
import { aCall } from './a-call.ts';
import { claimOne } from './claim-one.ts';

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

/** Stores the threads as they would stand after an hour, their workers dead. */
export async function seedThreads(
  store: Store,
  requester: Person,
  threads: readonly SeedThread[],
  now: number,
): Promise<void> {
  const at = now - 3_600_000;

  /** Claims the one key that is due this long, and keeps it, as a worker does that dies. */
  async function claim(key: ReturnType<typeof pumpKey>): Promise<Lease> {
    await store.agenda.wake([{ key, dueAt: at - 2 * AHEAD_MS }]);
    const lease = await claimOne(store.agenda, at - 2 * AHEAD_MS, LEASE_MS + 2 * AHEAD_MS);
    if (lease?.key.id !== key.id) throw new Error(`${key.id} was not the one that was due.`);
    return lease;
  }

  for (const [index, seed] of threads.entries()) {
    const thread = threadKey({ team: requester.team, channel: seed.channel, ts: seed.root });
    const message = messageOf(thread, seed, requester, at);
    const pump = await claim(pumpKey(thread));
    const fence = { thread, token: pump.fence };
    await store.inbox.receive(message, {});
    await store.inbox.begin(message.id, {}, fence);
    for (const [position, { state, card }] of seed.calls.entries()) {
      const proposed = proposal(`seed${index}`, message, position, seed.calls.length);
      const call = await store.ledger.propose(proposed, {}, fence);
      await store.ledger.placeCard(call.id, card);
      const wakes = [{ key: expireKey(call), dueAt: at + REQUESTER_ROUTE.deadlineMs }];
      const runs = state === 'approved' ? [{ key: runKey(call), dueAt: at }] : [];
      const { fence: runFence } = state === 'running' ? await claim(runKey(call)) : pump;
      const steps = stepsTo(call, state, runFence);
      await store.ledger.write(call, steps, { wakes: [...wakes, ...runs] });
      if (state === 'succeeded') await store.ledger.markDelivered([call.id], fence);
    }
    const isOver = seed.calls.every(({ state }) => state === 'succeeded');
    if (isOver) await store.inbox.end(message.id, 'turn', {}, fence);
    await store.agenda.finish(pump);
  }
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

function stepsTo(call: Call, state: SeedCall['state'], fence: number): readonly Step[] {
  const { createdAt: at, requester: by } = call;
  const steps: Step[] = [];
  const add = (cause: Cause, patch: Parameters<typeof stepFrom>[3]) => {
    steps.push(stepFrom(steps.at(-1)?.call ?? call, cause, at, patch));
  };
  const deadlineAt = at + REQUESTER_ROUTE.deadlineMs;
  add('gate', { status: 'pending', route: REQUESTER_ROUTE, deadlineAt });
  if (state === 'pending') return steps;
  const verdict = { kind: 'approve', by, at } as const;
  add('approve', { status: 'approved', votes: [{ by, at }], verdict });
  if (state === 'approved') return steps;
  add('claim', { status: 'running', claim: { fence, at } });
  if (state === 'running') return steps;
  add('finish', { status: 'succeeded', outcome: { kind: 'result', text: 'note is done.' } });
  return steps;
}
