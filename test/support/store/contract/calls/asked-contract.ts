import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../../../../src/domain/calls/call.ts';
import { REQUESTER_ROUTE, type Route } from '../../../../../src/domain/policy/route.ts';
import type { Store } from '../../../../../src/domain/ports/store.ts';
import type { RequestedDecider } from '../../../../../src/domain/rules/requested-deciders.ts';
import { APPROVER, OUTSIDER, REQUESTER } from '../../../builders/a-call.ts';
import { holdThread, type OpenBench, stepTo, storeCall } from '../contract-store.ts';

export function askedContract(open: OpenBench): void {
  const routed = (...approvers: Route['approvers']): Route => ({ ...REQUESTER_ROUTE, approvers });
  const idsOf = (calls: readonly Call[]) => calls.map(({ id }) => id);
  const asking = async (store: Store, asked: readonly RequestedDecider[], page = { limit: 10 }) =>
    idsOf(await store.ledger.askingAnyOf('T1', asked, page));

  /** Stores pending calls on their routes. */
  async function ask(
    store: Store,
    fence: Awaited<ReturnType<typeof holdThread>>,
    name: string,
    patch: Partial<Call>,
  ): Promise<Call> {
    const { route, ...rest } = patch;
    const id = `call_${name}`;
    const call = await storeCall(store, fence, 'pending', { id, toolCallId: id, ...rest });
    const step = stepTo(call, 'pending', 'edit');
    const routedCall = { ...step.call, ...(route && { route }) };
    assert.equal(await store.ledger.write(call, [{ ...step, call: routedCall }], {}), true);
    return routedCall;
  }

  test('open calls are found by the people they ask, each once, oldest first, in pages', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const both = routed('user:U2', 'usergroup:S1');
    await ask(bench.store, fence, 'z_first', { route: both });
    await ask(bench.store, fence, 'other', { route: routed('user:U3') });
    await ask(bench.store, fence, 'b_second', { route: routed('usergroup:S1', 'requester') });
    await ask(bench.store, fence, 'a_third', { route: routed('user:U2') });
    const store = await bench.reopen();
    const mine = ['user:U2', 'usergroup:S1'] as const;
    assert.deepEqual(await asking(store, mine), ['call_z_first', 'call_b_second', 'call_a_third']);
    const first = await store.ledger.askingAnyOf('T1', mine, { limit: 2 });
    assert.deepEqual(idsOf(first), ['call_z_first', 'call_b_second']);
    const after = first.at(-1)?.id;
    assert.deepEqual(idsOf(await store.ledger.askingAnyOf('T1', mine, { after, limit: 2 })), [
      'call_a_third',
    ]);
    assert.deepEqual(await asking(store, [`user:${REQUESTER.user}`]), ['call_b_second']);
    assert.deepEqual(await asking(store, ['user:U9']), []);
    assert.deepEqual(await asking(store, []), []);
    assert.deepEqual(await store.ledger.askingAnyOf('T2', mine, { limit: 2 }), []);
  });

  test('a call that is decided or rerouted no longer asks the earlier approvers', async (t) => {
    const bench = await open(t);
    const { store } = bench;
    const fence = await holdThread(bench);
    const route = routed('usergroup:S1', 'channel:C7');
    const call = await ask(store, fence, 'one', { route });
    assert.deepEqual([...(await store.ledger.groupsAskedToDecide('T1'))].sort(), [
      'channel:C7',
      'usergroup:S1',
    ]);
    assert.deepEqual(await store.ledger.groupsAskedToDecide('T2'), []);
    const moved = stepTo(call, 'pending', 'escalate');
    const onward = { ...moved, call: { ...moved.call, route: routed('user:U3', 'channel:C7') } };
    assert.equal(await store.ledger.write(call, [onward], {}), true);
    assert.deepEqual(await asking(store, ['usergroup:S1']), []);
    assert.deepEqual(await asking(store, ['user:U3']), [call.id]);
    assert.deepEqual(await store.ledger.groupsAskedToDecide('T1'), ['channel:C7']);
    const ended = stepTo(onward.call, 'ignored', 'ignore');
    // A write on an old revision moves nothing.
    assert.equal(await store.ledger.write(call, [stepTo(call, 'ignored', 'ignore')], {}), false);
    assert.deepEqual(await asking(store, ['channel:C7']), [call.id]);
    assert.equal(await store.ledger.write(onward.call, [ended], {}), true);
    assert.deepEqual(await asking(store, ['user:U3', 'channel:C7']), []);
    assert.deepEqual(await store.ledger.groupsAskedToDecide('T1'), []);
  });

  test('a call with an unknown outcome asks its approvers', async (t) => {
    const bench = await open(t);
    const call = await storeCall(bench.store, await holdThread(bench), 'unknown');
    assert.deepEqual(await asking(bench.store, [`user:${REQUESTER.user}`]), [call.id]);
  });

  test('the calls of a person for all tools are found newest first, ended ones separately, in pages', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const make = async (name: string, status: Call['status'], patch: Partial<Call> = {}) => {
      const id = `call_${name}`;
      await storeCall(bench.store, fence, status, { id, toolCallId: id, ...patch });
    };
    await make('a', 'pending');
    await make('b', 'succeeded', { tool: 'pay' });
    await make('c', 'unknown');
    await make('of_another', 'pending', { requester: OUTSIDER });
    await make('of_a_twin', 'pending', { requester: { ...REQUESTER, team: 'T2' } });
    await make('d', 'ignored');
    await make('e', 'proposed', { tool: 'pay' });
    const store = await bench.reopen();
    const find = async (isOver: boolean, limit = 10, before?: string) =>
      idsOf(await store.ledger.requestedBy(REQUESTER, { isOver, limit, before }));
    assert.deepEqual(await find(false), ['call_e', 'call_c', 'call_a']);
    assert.deepEqual(await find(false, 2), ['call_e', 'call_c']);
    assert.deepEqual(await find(false, 2, 'call_c'), ['call_a']);
    assert.deepEqual(await find(true), ['call_d', 'call_b']);
    assert.deepEqual(await store.ledger.requestedBy(APPROVER, { isOver: false, limit: 5 }), []);
  });

  test('the decisions of a person since a given time are found newest first, in pages', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    const make = async (name: string, patch: Partial<Call> = {}) => {
      const id = `call_${name}`;
      return await storeCall(bench.store, fence, 'pending', { id, toolCallId: id, ...patch });
    };
    const decide = async (call: Call, patch: Partial<Call>, to: Call['status'] = 'ignored') => {
      const cause = to === 'pending' ? 'vote' : 'ignore';
      const step = stepTo(call, to, cause);
      const after = { ...step.call, ...patch };
      assert.equal(await bench.store.ledger.write(call, [{ ...step, call: after }], {}), true);
      return after;
    };
    const by = (person: typeof APPROVER, at: number) =>
      ({ verdict: { kind: 'ignore', by: person, at } }) as const;
    await decide(await make('a'), by(APPROVER, 5_000));
    await decide(await make('b'), by(APPROVER, 3_000));
    await decide(await make('long_ago'), by(APPROVER, 999));
    await decide(await make('of_another'), by(OUTSIDER, 4_000));
    await decide(await make('of_a_twin'), by({ ...APPROVER, team: 'T2' }, 4_000));
    await make('waits');
    const edited = await decide(
      await make('edited'),
      { editedBy: APPROVER, args: '{"n":2}', updatedAt: 1_500 },
      'pending',
    );
    // Two people approve; the last decision of one counts, and the decision of each is found.
    const voted = await decide(edited, { votes: [{ by: OUTSIDER, at: 4_500 }] }, 'pending');
    await decide(voted, { ...by(APPROVER, 4_400), editedBy: APPROVER });
    const store = await bench.reopen();
    const find = async (person = APPROVER, limit = 10, before?: string) =>
      idsOf(await store.ledger.decidedBy(person, { since: 1_000, limit, before }));
    assert.deepEqual(await find(), ['call_a', 'call_edited', 'call_b']);
    assert.deepEqual(await find(APPROVER, 2), ['call_a', 'call_edited']);
    assert.deepEqual(await find(APPROVER, 2, 'call_edited'), ['call_b']);
    assert.deepEqual(await find(OUTSIDER), ['call_edited', 'call_of_another']);
    assert.deepEqual(await find(REQUESTER), []);
  });
}
