/** Writes a record of every kind through the ports of a store. */
import assert from 'node:assert/strict';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { ApiKey } from '../../../src/domain/people/api-key.ts';
import { NO_ADMIN_ROUTES, withAdminRoute } from '../../../src/domain/policy/admin-routes.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { runCallKey } from '../../../src/domain/ports/agenda.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { hashClaims } from '../../../src/domain/tools/tool-pin.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import {
  aDraft,
  aMessage,
  aProposal,
  aSay,
  claimKey,
  holdThread,
  type StoreBench,
  stepTo,
} from '../../support/store/contract/contract-store.ts';

type Bench = Pick<StoreBench, 'store' | 'clock'>;

const PLACE = { channel: 'C1', ts: '1700000000.000900' };

/** The kinds of records that belong to a thread and name it. */
export const OF_THREADS = [
  'call',
  'checkpoint',
  'live',
  'message',
  'parked',
  'rating',
  'say',
  'thread',
  'turn',
  'turn-message',
] as const;

/** All other kinds. */
export const OF_INSTALLATION = [
  'arrival',
  'arrivals',
  'asked-groups',
  'audit',
  'bulletin',
  'decided',
  'key',
  'pause',
  'pin',
  'place',
  'report',
  'routes',
  'typed',
  'workspace',
] as const;

/** A key of a program. */
export function aKey(id: string): ApiKey {
  const given = { scopes: ['request'], channels: [], createdAt: 1_000, revision: 1 };
  return { id, name: `bot ${id}`, hash: 'f'.repeat(64), ...given };
}

/** A turn of a thread: one call runs, one waits for a group, and one failed to be processed. */
export async function writeThread(bench: Bench, thread: ThreadKey): Promise<void> {
  const { store } = bench;
  const fence = await holdThread(bench, thread);
  const message = aMessage('1700000000.000100', { id: `${thread}|m`, thread });
  await store.inbox.receive(message, {});
  await store.inbox.begin(message.id, {}, fence);
  const settled = { id: 'earlier', settledAt: 1_000, messages: [] };
  await store.history.append(thread, settled, {}, fence);
  await store.history.rate(thread, 'earlier', { by: REQUESTER, value: 'good', at: 2 }, {});
  const opened = { role: 'user', id: 'u', text: 'ask', author: REQUESTER, at: 900 } as const;
  const record = { v: 1, thread, turn: 'now', position: 0, message: opened, rejected: [] } as const;
  await store.turnRecords.keep([record], fence);
  await store.checkpoints.keep(thread, 'a state', fence);
  const running = await writeRunning(bench, thread, fence);
  await store.reports.keep(running, { text: '1 of 3', at: 7 }, []);
  await store.ledger.placeCard(running.id, PLACE);
  const route = { ...REQUESTER_ROUTE, approvers: ['usergroup:S1'] } as const;
  const asked = aProposal({ id: `call_asked_${thread}`, toolCallId: 'tc_2', thread });
  await store.ledger.propose(asked, {}, fence);
  const pending = stepTo(asked, 'pending', 'gate');
  const routed = { ...pending, call: { ...pending.call, route } };
  assert.ok(await store.ledger.write(asked, [routed], { audit: [aDraft('call.ask')] }));
  await store.outbox.add([aSay(`say ${thread}`, { thread })], []);
  await store.outbox.placeLiveMessage(thread, PLACE);
  const lease = await claimKey(bench, runCallKey(asked));
  await store.agenda.moveToDeadLetters(lease, bench.clock.now(), 'gave up');
}

async function writeRunning(
  { store }: Bench,
  thread: ThreadKey,
  fence: Awaited<ReturnType<typeof holdThread>>,
): Promise<Call> {
  const proposed = aProposal({ id: `call_runs_${thread}`, thread });
  const pending = stepTo(await store.ledger.propose(proposed, {}, fence), 'pending', 'gate');
  assert.ok(await store.ledger.write(proposed, [pending], {}));
  const { call } = stepTo(pending.call, 'approved', 'approve');
  const approved = { ...call, votes: [{ by: APPROVER, at: 5 }] };
  const run = stepTo(approved, 'running', 'claim');
  const steps = [{ cause: 'approve', call: approved } as const, run];
  assert.ok(await store.ledger.write(pending.call, steps, {}));
  return run.call;
}

/** Records of the whole installation, with enough cards in a channel for a digest message. */
export async function writeSettings({ clock, store }: Bench): Promise<void> {
  await store.keys.add(aKey('k1'), { audit: [aDraft('key.create')] });
  await store.pause.write({ by: REQUESTER, at: 5 }, {});
  const [quorum, selfApproval, deadlineMs] = [1, true, 60_000];
  const decisions = ['approve', 'ignore'] as const;
  const given = { approvers: ['user:U2'], tools: ['pay_*'], decisions } as const;
  const route = { name: 'ops', quorum, selfApproval, deadlineMs, ...given };
  await store.routes.write(withAdminRoute(NO_ADMIN_ROUTES, route, REQUESTER, 5), {});
  const tool = { server: 'box', tool: 'a', description: '' };
  const claims = { ...tool, schema: { type: 'object' }, annotations: {} };
  await store.pins.write(
    { name: 'box__a', claims, hash: hashClaims(claims), at: 1 },
    undefined,
    {},
  );
  await store.drafts.keep('form', 'typed', clock.now() + 1_000);
  const crowding = { over: 1, windowMs: 60_000, lifeMs: 3_600_000 };
  for (const n of [1, 2]) {
    const arrival = { channel: 'C9', callId: `call_${n}`, at: n * 1_000, calls: [] };
    await store.digestMessages.registerArrival(arrival, crowding);
  }
}
