import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderCardKey } from '../../../../../src/domain/ports/agenda.ts';
import type { Effects, Store } from '../../../../../src/domain/ports/store.ts';
import { StaleFenceError } from '../../../../../src/domain/ports/store.ts';
import { THREAD } from '../../../builders/a-call.ts';
import { callRef } from '../../../builders/call-ref.ts';
import { claimOne } from '../../../builders/claim-one.ts';
import {
  aDraft,
  aMessage,
  aProposal,
  aSay,
  eventsOf,
  holdThread,
  loseThread,
  type OpenBench,
  stepTo,
  storeCall,
} from '../contract-store.ts';

const MESSAGE = aMessage('1700000009.000100');

/** Effects of every kind, distinguished by a name. */
function effectsNamed(name: string): Effects {
  return {
    audit: [aDraft(name)],
    wakes: [{ key: renderCardKey(callRef(name)), dueAt: 5 }],
    outboxMessages: [aSay(name)],
    messageEnds: [{ id: MESSAGE.id, how: 'reply' }],
  };
}

/** Which of the named effects have happened. */
async function traces(store: Store): Promise<readonly string[]> {
  const said = await store.outbox.pendingMessages(THREAD);
  const waiting = await store.inbox.waiting(THREAD);
  const lease = await claimOne(store.agenda, 5, 1);
  return [
    ...(await eventsOf(store)).map((event) => `audit ${event}`),
    ...said.map(({ id }) => `say ${id}`),
    ...(waiting.length === 0 ? ['message ended'] : []),
    ...(lease ? [`wake ${lease.key.id}`] : []),
  ];
}

const all = (name: string): readonly string[] => [
  `audit ${name}`,
  `say ${name}`,
  'message ended',
  `wake ${name}`,
];

export function effectsContract(open: OpenBench): void {
  test('a change is committed together with all its effects', async (t) => {
    const bench = await open(t);
    await bench.store.inbox.receive(MESSAGE, {});
    const call = await storeCall(bench.store, await holdThread(bench), 'pending');
    const step = stepTo(call, 'replied', 'reply');
    assert.equal(await bench.store.ledger.write(call, [step], effectsNamed('won')), true);
    assert.deepEqual(await traces(bench.store), all('won'));
  });

  test('a write on an old revision has none of its effects', async (t) => {
    const bench = await open(t);
    await bench.store.inbox.receive(MESSAGE, {});
    const call = await storeCall(bench.store, await holdThread(bench), 'pending');
    await bench.store.ledger.write(call, [stepTo(call, 'approved', 'approve')], {});
    const late = [stepTo(call, 'replied', 'reply')];
    assert.equal(await bench.store.ledger.write(call, late, effectsNamed('late')), false);
    assert.deepEqual(await traces(bench.store), []);
  });

  test('only the winner of two racing writes has effects', async (t) => {
    const bench = await open(t);
    await bench.store.inbox.receive(MESSAGE, {});
    const call = await storeCall(bench.store, await holdThread(bench), 'pending');
    const won = await Promise.all([
      bench.store.ledger.write(call, [stepTo(call, 'replied', 'reply')], effectsNamed('one')),
      bench.store.ledger.write(call, [stepTo(call, 'ignored', 'ignore')], effectsNamed('two')),
    ]);
    assert.deepEqual(await traces(bench.store), all(won[0] ? 'one' : 'two'));
  });

  test('a rejected step has none of its effects', async (t) => {
    const bench = await open(t);
    await bench.store.inbox.receive(MESSAGE, {});
    const call = await storeCall(bench.store, await holdThread(bench), 'pending');
    const approved = stepTo(call, 'approved', 'approve');
    const steps = [approved, stepTo(approved.call, 'succeeded', 'finish')];
    await assert.rejects(bench.store.ledger.write(call, steps, effectsNamed('bad')));
    assert.deepEqual(await traces(bench.store), []);
    assert.deepEqual(await bench.store.ledger.get(call.id), call);
  });

  test('an effect that cannot be written undoes its change', async (t) => {
    const bench = await open(t);
    await bench.store.inbox.receive(MESSAGE, {});
    const fence = await holdThread(bench);
    const call = await storeCall(bench.store, fence, 'pending');
    const { audit = [], ...others } = effectsNamed('broken');
    const broken = {
      ...others,
      audit: [...audit, { ...aDraft('broken'), detail: { n: Number.NaN } }],
    };
    const step = stepTo(call, 'approved', 'approve');
    await assert.rejects(bench.store.ledger.write(call, [step], broken));
    const proposal = aProposal({ id: 'call_pppppppppppppppppppppp', toolCallId: 'tc_p' });
    await assert.rejects(bench.store.ledger.propose(proposal, broken, fence));
    await assert.rejects(bench.store.inbox.begin(MESSAGE.id, broken, fence));
    assert.deepEqual(await traces(bench.store), []);
    assert.deepEqual(await bench.store.ledger.ofThread(THREAD), [call]);
    assert.equal(await bench.store.inbox.current(THREAD), undefined);
  });

  test('a proposal has its effects once', async (t) => {
    const bench = await open(t);
    await bench.store.inbox.receive(MESSAGE, {});
    const fence = await holdThread(bench);
    await bench.store.ledger.propose(aProposal(), effectsNamed('first'), fence);
    await bench.store.ledger.propose(aProposal(), effectsNamed('second'), fence);
    assert.deepEqual(await traces(bench.store), all('first'));
  });

  test('a worker that lost the thread has no effects', async (t) => {
    const bench = await open(t);
    await bench.store.inbox.receive(MESSAGE, {});
    const { old } = await loseThread(bench);
    const { history, inbox, ledger, outbox } = bench.store;
    const effects = effectsNamed('stale');
    const turn = { id: MESSAGE.id, settledAt: 1, messages: [] };
    for (const write of [
      () => ledger.propose(aProposal(), effects, old),
      () => inbox.begin(MESSAGE.id, effects, old),
      () => inbox.end(MESSAGE.id, 'turn', effects, old),
      () => history.append(THREAD, turn, effects, old),
      () => outbox.add([aSay('stale')], effects.wakes ?? [], old),
    ]) {
      await assert.rejects(write(), StaleFenceError);
    }
    assert.deepEqual(await traces(bench.store), []);
    assert.equal(await history.has(THREAD, turn.id), false);
  });

  test('an ended message keeps its end', async (t) => {
    const bench = await open(t);
    const fence = await holdThread(bench);
    await bench.store.inbox.receive(MESSAGE, {});
    assert.equal(await bench.store.inbox.end(MESSAGE.id, 'answered', {}, fence), true);
    const call = await storeCall(bench.store, fence, 'pending');
    const step = stepTo(call, 'replied', 'reply');
    const messageEnds = [
      { id: MESSAGE.id, how: 'reply' as const },
      { id: 'unknown', how: 'turn' as const },
    ];
    assert.equal(await bench.store.ledger.write(call, [step], { messageEnds }), true);
    assert.equal(await bench.store.inbox.end(MESSAGE.id, 'turn', {}, fence), false);
  });
}
