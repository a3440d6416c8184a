import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';

describe('a rating', () => {
  it('is stored with its turn, only the newest of each person, and audited', async (t) => {
    const { desk, send, store, clock } = await buildDesk(t, { tools: [] });
    await send('hello');
    const [turn = assert.fail('no turn')] = await store.history.newest(THREAD, 1, 0);
    const say = { thread: THREAD, turn: turn.id };
    assert.equal(await desk.rate({ ...say, by: REQUESTER, value: 'good' }), true);
    assert.equal(await desk.rate({ ...say, by: APPROVER, value: 'good' }), true);
    assert.equal(await desk.rate({ ...say, by: REQUESTER, value: 'bad' }), true);
    const at = clock.now();
    assert.deepEqual(await store.history.ratings(THREAD, turn.id), [
      { by: REQUESTER, value: 'bad', at },
      { by: APPROVER, value: 'good', at },
    ]);
    const rated = (await store.audit.read(1, 100)).filter(({ event }) => event === 'turn.rate');
    assert.deepEqual(
      rated.map(({ subject, actor, detail }) => [subject, actor, detail.value]),
      [
        [turn.id, `${REQUESTER.team}/${REQUESTER.user}`, 'good'],
        [turn.id, `${APPROVER.team}/${APPROVER.user}`, 'good'],
        [turn.id, `${REQUESTER.team}/${REQUESTER.user}`, 'bad'],
      ],
    );
  });

  it('of an unknown turn changes nothing', async (t) => {
    const { desk, send, store } = await buildDesk(t, { tools: [] });
    await send('hello');
    const [turn = assert.fail('no turn')] = await store.history.newest(THREAD, 1, 0);
    const elsewhere = `${THREAD.slice(0, -1)}9` as ThreadKey;
    const rating = { by: REQUESTER, value: 'good' } as const;
    assert.equal(await desk.rate({ thread: elsewhere, turn: turn.id, ...rating }), false);
    assert.equal(await desk.rate({ thread: THREAD, turn: 'T1/C1/9.9', ...rating }), false);
    assert.deepEqual(await store.history.ratings(THREAD, turn.id), []);
    const events = (await store.audit.read(1, 100)).map(({ event }) => event);
    assert.ok(!events.includes('turn.rate'));
  });
});
