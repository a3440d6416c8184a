/** What holds after every sequence; the names are those of the checker. */
import assert from 'node:assert/strict';
import type { AuditEntry } from '../../../src/domain/audit/audit.ts';
import type { Call, CallStatus } from '../../../src/domain/calls/call.ts';
import { TRANSITIONS } from '../../../src/domain/calls/transitions.ts';
import { attemptOf, isEnded, isOver, mayApprove, quorumOf } from './expected-call.ts';
import { keyOf, readCalls, type Side, THREADS } from './side.ts';

const ALL = 100_000;

/** Checks all invariants on a settled side with nothing open. */
export async function checkInvariants(side: Side): Promise<void> {
  const calls = await readCalls(side);
  const entries = await side.world.store().audit.read(1, ALL);
  checkApprovals(side, calls);
  await checkMessages(side);
  checkClicks(side, calls, entries);
  await checkAudit(side);
  for (const call of calls) checkLife(side, call, entries);
  for (const call of calls) await checkCard(side, call);
  await checkWords(side);
}

/** I1, I6: everything that took effect had been approved unchanged, by enough people with permission. */
function checkApprovals(side: Side, calls: readonly Call[]): void {
  for (const { callId, attempt, note } of side.world.tools.effects) {
    const call = calls.find(({ id }) => id === callId);
    assert.ok(call, `I1: an effect of ${callId}, which is no call`);
    const name = attemptOf({ key: keyOf(call), attempt });
    const its = side.expected.calls.find(({ key }) => key === keyOf(call));
    assert.ok(its, `I1: an effect of ${name}, which nobody expects`);
    const approvers = new Set(
      side.wishes
        .filter((wish) => wish.attempt === name && mayApprove(its, wish.by))
        .map(({ by }) => by),
    );
    const isApproved = approvers.size >= quorumOf(call.tool);
    assert.ok(isApproved, `I1: ${name} took effect with the approval of ${[...approvers]} only`);
    const shown = shownNotes(side, call, attempt);
    assert.deepEqual([...shown], [note], `I6: ${name} ran with other arguments than were shown`);
  }
}

/** The arguments of an attempt that people saw on its card, or wrote themselves. */
function shownNotes(side: Side, call: Call, attempt: number): ReadonlySet<string> {
  const drawn = side.world.slack.cards
    .filter(({ callId }) => callId === call.id)
    .flatMap((card) => card.drawn)
    .filter((each) => each.attempt === attempt && each.status === 'pending')
    .map(({ args }) => String(JSON.parse(args).note));
  const written = side.edits.get(attemptOf({ key: keyOf(call), attempt }));
  const all = [...drawn, ...(written === undefined ? [] : [written])];
  // Nobody sees calls that run unasked, nor an attempt that was approved when it was created.
  return new Set(all.length > 0 ? all : [String(JSON.parse(call.args).note)]);
}

/** I3: no message is lost; each turn is in the history once, with its expected end. */
async function checkMessages(side: Side): Promise<void> {
  const { expected, world } = side;
  for (const [index, thread] of THREADS.entries()) {
    const turns = await world.store().history.newest(thread, ALL, 0);
    const its = expected.messages.filter((message) => message.thread === index);
    const began = its.filter(({ state }) => state === 'turn').map(({ id }) => id);
    assert.deepEqual(turns.map(({ id }) => id).sort(), began.sort(), 'I3: turns in the history');
    for (const { id, messages } of turns) {
      const asked = messages.flatMap((each) =>
        each.role === 'assistant' ? each.calls.map((call) => `${each.id}/${call.id}`) : [],
      );
      const answered = messages.flatMap((each) => (each.role === 'tool' ? [each.id] : []));
      assert.deepEqual(answered, asked, `I3: each call of turn ${id} has one answer`);
    }
  }
}

/** I4: each response to a person is in the audit. */
function checkClicks(side: Side, calls: readonly Call[], entries: readonly AuditEntry[]): void {
  for (const { key, by, kind } of side.answers) {
    if (kind !== 'decided' && kind !== 'recorded') continue;
    const id = calls.find((call) => keyOf(call) === key)?.id;
    const isThere = entries.some(({ subject, actor }) => subject === id && actor === `T1/${by}`);
    assert.ok(isThere, `I4: ${by} was told "${kind}" about ${key}, and the audit knows nothing`);
  }
}

async function checkAudit(side: Side): Promise<void> {
  const { fault } = await side.world.store().audit.check();
  assert.equal(fault, undefined, 'I9: the audit is broken');
}

/** I5, I9: one valid edge at a time, each with one entry; final statuses stay, attempts only grow. */
function checkLife(side: Side, call: Call, entries: readonly AuditEntry[]): void {
  const key = keyOf(call);
  const its = entries.filter(
    ({ subject, event }) => subject === call.id && event.startsWith('call.'),
  );
  const tampered = side.tampered.get(key) ?? 0;
  assert.equal(its.length, call.revision - tampered, `I9: ${key} has one entry for each revision`);
  let status: CallStatus = 'proposed';
  let attempt = 1;
  for (const { event, detail } of its.slice(1)) {
    const { from, to } = detail;
    const isEdge = TRANSITIONS.some(
      ([a, b, cause]) => a === from && b === to && `call.${cause}` === event,
    );
    assert.ok(isEdge, `I5: ${key} went from ${from} to ${to} by ${event}`);
    assert.ok(!isEnded(status), `I5: ${key} moved after its end`);
    if (tampered === 0) assert.equal(from, status, `I5: ${key} took an edge from where it was not`);
    assert.ok(Number(detail.attempt) >= attempt, `I5: the attempt of ${key} went back`);
    status = to as CallStatus;
    attempt = Number(detail.attempt);
  }
  assert.ok(isOver(call), `I10: ${key} is still ${call.status}`);
}

/** I7: one card for each call that people were asked about, and it shows the current call. */
async function checkCard({ excused, world }: Side, call: Call): Promise<void> {
  const key = keyOf(call);
  const cards = world.slack.cards.filter(({ callId }) => callId === call.id);
  const isOne = cards.length === (call.route ? 1 : 0);
  // A second card of a worker that was just posting it belongs to nobody.
  assert.ok(isOne || excused.has('chat.drawCard'), `I7: ${key} has ${cards.length} cards`);
  const place = await world.store().ledger.cardOf(call.id);
  const drawn = cards.find(({ ts }) => ts === place?.ts)?.drawn.at(-1);
  assert.equal(drawn !== undefined, call.route !== undefined, `I7: the card of ${key}`);
  const { delivered: _drawn, ...shown } = drawn ?? call;
  const { delivered: _is, ...stored } = call;
  assert.deepEqual(shown, stored, `I7: the card of ${key} shows an older state`);
}

/** I3, I10: everything was posted once, and no streaming message is left. */
async function checkWords({ excused, expected, world }: Side): Promise<void> {
  const { slack } = world;
  const ids = slack.said.map(({ id }) => id);
  const isOnce = new Set(ids).size === ids.length;
  assert.ok(isOnce || excused.has('chat.postOutboxMessage'), 'I3: something was said twice');
  const answered = [...new Set(slack.said.flatMap(({ turn }) => turn ?? []))].sort();
  const expectedly = expected.messages.filter(({ hasAnswer }) => hasAnswer).map(({ id }) => id);
  assert.deepEqual(answered, expectedly.sort(), 'I10: answers');
  for (const thread of THREADS) {
    assert.deepEqual(
      await world.store().outbox.pendingMessages(thread),
      [],
      'I10: something is unsaid',
    );
  }
  assert.deepEqual([...slack.growing], [], 'I7: a growing message stays');
  assert.deepEqual(await world.store().agenda.deadLetters(), [], 'I10: work was given up');
}
