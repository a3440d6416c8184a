import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../../../../src/domain/calls/call.ts';
import { APPROVER, REQUESTER } from '../../../builders/a-call.ts';
import {
  aProposal,
  holdThread,
  type OpenBench,
  OTHER_THREAD,
  stepTo,
  storeCall,
} from '../contract-store.ts';

export function requesterContract(open: OpenBench): void {
  test('the calls of a person for one tool are found in all threads, oldest first, from a given time', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const other = await holdThread(bench, OTHER_THREAD);
    const propose = async (name: string, patch: Partial<Call>, from = fence): Promise<void> => {
      const id = `call_${name}`;
      await bench.store.ledger.propose(aProposal({ id, toolCallId: id, ...patch }), {}, from);
    };
    const pay = { tool: 'pay' };
    await propose('z_late', { ...pay, createdAt: 3_000 });
    await propose('b_first', { ...pay, createdAt: 2_000 });
    await propose('a_second', { ...pay, createdAt: 2_000, thread: OTHER_THREAD }, other);
    await propose('early', { ...pay, createdAt: 1_999 });
    await propose('of_another_tool', { tool: 'pay_more', createdAt: 2_500 });
    await propose('of_another', { ...pay, createdAt: 2_500, requester: APPROVER });
    await propose('of_a_twin', {
      ...pay,
      createdAt: 2_500,
      requester: { ...REQUESTER, team: 'T2' },
    });
    await bench.store.ledger.markDelivered(['call_b_first'], fence);
    const store = await bench.reopen();
    const found = await store.ledger.ofRequester(REQUESTER, 'pay', 2_000);
    assert.deepEqual(
      found.map(({ id, delivered }) => [id, delivered]),
      [
        ['call_b_first', true],
        ['call_a_second', false],
        ['call_z_late', false],
      ],
    );
    assert.deepEqual(await store.ledger.ofRequester(APPROVER, 'pay_more', 0), []);
  });

  test('the pending calls of a person are counted in all threads, with their current status', async (t) => {
    const bench = await open(t);
    const { ledger } = bench.store;
    const fence = await holdThread(bench);
    const other = await holdThread(bench, OTHER_THREAD);
    const as = (name: string, patch: Partial<Call> = {}) => ({
      id: `call_${name}`,
      toolCallId: name,
      ...patch,
    });
    await storeCall(bench.store, fence, 'proposed', as('proposed'));
    await storeCall(bench.store, fence, 'approved', as('approved'));
    await storeCall(bench.store, fence, 'pending', as('of_another', { requester: APPROVER }));
    const call = await storeCall(bench.store, fence, 'pending', as('one'));
    await storeCall(
      bench.store,
      other,
      'pending',
      as('two', { thread: OTHER_THREAD, tool: 'pay' }),
    );
    assert.deepEqual(
      [await ledger.countPending(REQUESTER), await ledger.countPending(APPROVER)],
      [2, 1],
    );
    const voted = stepTo(call, 'pending', 'vote');
    await ledger.write(call, [voted], {});
    assert.equal(await ledger.countPending(REQUESTER), 2);
    await ledger.write(voted.call, [stepTo(voted.call, 'ignored', 'ignore')], {});
    assert.equal(await ledger.countPending(REQUESTER), 1);
  });

  test('the calls of a person are found with their current status', async (t) => {
    const bench = await open(t);
    const call = await storeCall(bench.store, await holdThread(bench), 'pending');
    const edited = stepTo(call, 'pending', 'edit');
    const step = { ...edited, call: { ...edited.call, args: '{"n":2}' } };
    assert.equal(await bench.store.ledger.write(call, [step], {}), true);
    const { requester, tool } = call;
    assert.deepEqual(await bench.store.ledger.ofRequester(requester, tool, 0), [step.call]);
  });
}
