import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call, CallStatus } from '../../../../../src/domain/calls/call.ts';
import {
  isTransition,
  type Step,
  TRANSITIONS,
} from '../../../../../src/domain/calls/transitions.ts';
import { StaleFenceError } from '../../../../../src/domain/ports/store.ts';
import { THREAD } from '../../../builders/a-call.ts';
import {
  aProposal,
  holdThread,
  loseThread,
  type OpenBench,
  OTHER_THREAD,
  stepTo,
  storeCall,
} from '../contract-store.ts';

const STATUSES = [...new Set(TRANSITIONS.map(([, to]) => to))];
const CAUSES = [...new Set(TRANSITIONS.map(([, , cause]) => cause))];

export function ledgerContract(open: OpenBench): void {
  test('a proposed call is returned and read as given', async (t) => {
    const bench = await open(t);
    const call = aProposal({ words: 'quotes " \' \\ and 🚀\nlines', preview: '--- a\n+++ b' });
    const fence = await holdThread(bench);
    assert.deepEqual(await bench.store.ledger.propose(call, {}, fence), call);
    assert.deepEqual(await bench.store.ledger.get(call.id), call);
    assert.equal(await bench.store.ledger.get('call_unknown_unknown_un'), undefined);
  });

  test('a call with a known key is not inserted again, and the first one is returned', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const first = await storeCall(bench.store, fence, 'pending');
    const again = aProposal({ id: 'call_bbbbbbbbbbbbbbbbbbbbbb' });
    assert.deepEqual(await bench.store.ledger.propose(again, {}, fence), first);
    assert.equal(await bench.store.ledger.get(again.id), undefined);
    const distinct = aProposal({ id: 'call_cccccccccccccccccccccc', toolCallId: 'tc_2' });
    assert.deepEqual(await bench.store.ledger.propose(distinct, {}, fence), distinct);
  });

  test('a call is proposed only as proposed, and with the fence of its own thread', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const other = await holdThread(bench, OTHER_THREAD);
    for (const status of STATUSES.filter((to) => to !== 'proposed')) {
      await assert.rejects(bench.store.ledger.propose(aProposal({ status }), {}, fence), /propose/);
    }
    await assert.rejects(bench.store.ledger.propose(aProposal(), {}, other), /fence/);
    assert.deepEqual(await bench.store.ledger.count(), {});
  });

  test('one of several deciders at one revision wins', async (t) => {
    const bench = await open(t);
    const before = await storeCall(bench.store, await holdThread(bench), 'pending');
    const rivals = [
      stepTo(before, 'approved', 'approve'),
      stepTo(before, 'replied', 'reply'),
      stepTo(before, 'pending', 'edit'),
      stepTo(before, 'ignored', 'ignore'),
      stepTo(before, 'expired', 'expire'),
    ];
    const won = await Promise.all(
      rivals.map((step) => bench.store.ledger.write(before, [step], {})),
    );
    assert.equal(won.filter(Boolean).length, 1);
    assert.deepEqual(await bench.store.ledger.get(before.id), rivals[won.indexOf(true)]?.call);
  });

  test('a write on an old revision changes nothing and reports it', async (t) => {
    const bench = await open(t);
    const { ledger } = bench.store;
    const before = await storeCall(bench.store, await holdThread(bench), 'pending');
    const vote = stepTo(before, 'pending', 'vote');
    assert.equal(await ledger.write(before, [vote], {}), true);
    assert.equal(await ledger.write(before, [stepTo(before, 'approved', 'approve')], {}), false);
    assert.deepEqual(await ledger.get(before.id), vote.call);
    const ghost = aProposal({ id: 'call_gggggggggggggggggggggg' });
    assert.equal(await ledger.write(ghost, [stepTo(ghost, 'pending', 'gate')], {}), false);
  });

  test('every edge of the transition table is written', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    for (const [index, [from, to, cause]] of TRANSITIONS.entries()) {
      if (from === null) continue;
      const key = { id: `call_edge${index}_aaaaaaaaaaaaaaaa`, toolCallId: `tc_${index}` };
      const before = await storeCall(bench.store, fence, from, key);
      const step = stepTo(before, to, cause);
      assert.equal(
        await bench.store.ledger.write(before, [step], {}),
        true,
        `${from} ${to} ${cause}`,
      );
      assert.deepEqual(await bench.store.ledger.get(before.id), step.call);
    }
  });

  test('a step that is not in the transition table is not written', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    let refused = 0;
    for (const from of STATUSES) {
      const key = { id: `call_${from}_aaaaaaaaaaaaaaaa`, toolCallId: `tc_${from}` };
      const before = await storeCall(bench.store, fence, from, key);
      for (const step of lackingSteps(before)) {
        await assert.rejects(bench.store.ledger.write(before, [step], {}), {
          message: `A call can't go from ${from} to ${step.call.status} by ${step.cause}.`,
        });
        refused += 1;
      }
      assert.deepEqual(await bench.store.ledger.get(before.id), before);
    }
    const edges = TRANSITIONS.filter(([from]) => from !== null).length;
    assert.equal(refused, STATUSES.length * STATUSES.length * CAUSES.length - edges);
  });

  test('a sequence of inconsistent steps is rejected as a whole', async (t) => {
    const bench = await open(t);
    const before = await storeCall(bench.store, await holdThread(bench), 'pending');
    const approved = stepTo(before, 'approved', 'approve');
    const skipping = { ...approved, call: { ...approved.call, revision: before.revision + 2 } };
    const other = { ...approved, call: { ...approved.call, id: 'call_oooooooooooooooooooooo' } };
    const attempt = { ...approved, call: { ...approved.call, attempt: before.attempt + 1 } };
    const back = stepTo(approved.call, 'ignored', 'ignore');
    for (const steps of [[skipping], [other], [attempt], [approved, back], []]) {
      await assert.rejects(bench.store.ledger.write(before, steps, {}), Error);
    }
    assert.deepEqual(await bench.store.ledger.get(before.id), before);
  });

  test('several steps are one write', async (t) => {
    const bench = await open(t);
    const before = await storeCall(bench.store, await holdThread(bench), 'pending');
    const edited = stepTo(before, 'pending', 'edit');
    const approved = stepTo(edited.call, 'approved', 'approve');
    assert.equal(await bench.store.ledger.write(before, [edited, approved], {}), true);
    assert.deepEqual(await bench.store.ledger.get(before.id), approved.call);
  });

  test('calls of a thread are returned in order of creation and position', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const given: readonly (readonly [
      name: string,
      createdAt: number,
      position: number,
      turn: string,
    ])[] = [
      ['d', 3_000, 0, 'second'],
      ['c', 2_000, 2, 'first'],
      ['a', 2_000, 0, 'first'],
      ['b', 2_000, 1, 'first'],
    ];
    for (const [name, createdAt, position, turn] of given) {
      const id = `call_${name.repeat(22)}`;
      await bench.store.ledger.propose(
        aProposal({ id, toolCallId: `tc_${name}`, createdAt, position, turn }),
        {},
        fence,
      );
    }
    const other = await holdThread(bench, OTHER_THREAD);
    await bench.store.ledger.propose(
      aProposal({ id: 'call_zzzzzzzzzzzzzzzzzzzzzz', thread: OTHER_THREAD }),
      {},
      other,
    );
    const names = async (turn?: string): Promise<string> =>
      (await bench.store.ledger.ofThread(THREAD, turn)).map(({ id }) => id.at(-1)).join('');
    assert.equal(await names(), 'abcd');
    assert.equal(await names('first'), 'abc');
    assert.equal(await names('none'), '');
  });

  test('a call marked as delivered stays so through later steps', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const unknown = await storeCall(bench.store, fence, 'unknown');
    await bench.store.ledger.markDelivered([unknown.id, 'call_unknown_unknown_un'], fence);
    assert.deepEqual(await bench.store.ledger.get(unknown.id), { ...unknown, delivered: true });
    const settled = stepTo(unknown, 'failed', 'settle');
    assert.equal(await bench.store.ledger.write(unknown, [settled], {}), true);
    assert.deepEqual(await bench.store.ledger.get(unknown.id), {
      ...settled.call,
      delivered: true,
    });
    const [listed] = await bench.store.ledger.ofThread(THREAD);
    assert.equal(listed?.delivered, true);
  });

  test('a step that makes a call undelivered again takes effect', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const { id } = await storeCall(bench.store, fence, 'unknown');
    await bench.store.ledger.markDelivered([id], fence);
    const told = await bench.store.ledger.get(id);
    assert.ok(told);
    const { call, cause } = stepTo(told, 'pending', 'rerun');
    const step: Step = { cause, call: { ...call, delivered: false } };
    assert.equal(await bench.store.ledger.write(told, [step], {}), true);
    assert.deepEqual(await bench.store.ledger.get(id), step.call);
  });

  test('placing a card does not change the call', async (t) => {
    const bench = await open(t);
    const { ledger } = bench.store;
    const call = await storeCall(bench.store, await holdThread(bench), 'pending');
    assert.equal(await ledger.cardOf(call.id), undefined);
    await ledger.placeCard(call.id, { channel: 'C1', ts: '1.000100' });
    await ledger.placeCard(call.id, { channel: 'C9', ts: '2.000200' });
    assert.deepEqual(await ledger.cardOf(call.id), { channel: 'C9', ts: '2.000200' });
    assert.equal(await ledger.write(call, [stepTo(call, 'approved', 'approve')], {}), true);
    assert.deepEqual(await ledger.cardOf(call.id), { channel: 'C9', ts: '2.000200' });
  });

  test('calls are found by status, oldest first', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const ids = ['call_b', 'call_a', 'call_c'];
    for (const [index, id] of ids.entries()) {
      const status = id === 'call_c' ? 'pending' : 'approved';
      await storeCall(bench.store, fence, status, { id, toolCallId: id, createdAt: index });
    }
    const found = await bench.store.ledger.withStatus('approved');
    assert.deepEqual(
      found.map(({ id }) => id),
      ['call_b', 'call_a'],
    );
    assert.deepEqual(await bench.store.ledger.withStatus('running'), []);
  });

  test('calls are counted by status', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const statuses: readonly CallStatus[] = ['pending', 'pending', 'running', 'succeeded'];
    for (const [index, status] of statuses.entries()) {
      const key = { id: `call_count${index}_aaaaaaaaaaaaaaa`, toolCallId: `tc_${index}` };
      await storeCall(bench.store, fence, status, key);
    }
    assert.deepEqual(await bench.store.ledger.count(), { pending: 2, running: 1, succeeded: 1 });
  });

  test('a worker that lost the thread can neither propose nor mark as delivered', async (t) => {
    const bench = await open(t);
    const { old, young } = await loseThread(bench);
    const never = { ...old, token: young.token + 1 };
    for (const fence of [old, never]) {
      await assert.rejects(
        bench.store.ledger.propose(aProposal(), { audit: [] }, fence),
        StaleFenceError,
      );
    }
    const call = await storeCall(bench.store, young, 'succeeded');
    await assert.rejects(bench.store.ledger.markDelivered([call.id], old), StaleFenceError);
    assert.equal((await bench.store.ledger.get(call.id))?.delivered, false);
  });

  test('calls, cards and marks survive a restart', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const call = await storeCall(bench.store, fence, 'running');
    await bench.store.ledger.placeCard(call.id, { channel: 'C1', ts: '1.000100' });
    await bench.store.ledger.markDelivered([call.id], fence);
    const store = await bench.reopen();
    assert.deepEqual(await store.ledger.get(call.id), { ...call, delivered: true });
    assert.deepEqual(await store.ledger.cardOf(call.id), { channel: 'C1', ts: '1.000100' });
    const end = stepTo(call, 'succeeded', 'finish');
    assert.equal(await store.ledger.write(call, [end], {}), true);
  });
}

function lackingSteps(before: Call): readonly Step[] {
  return STATUSES.flatMap((to) =>
    CAUSES.filter((cause) => !isTransition(before.status, to, cause)).map((cause) =>
      stepTo(before, to, cause),
    ),
  );
}
