import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LEASE_MS } from '../../../src/desk/deps.ts';
import { withdrawCall } from '../../../src/domain/rules/end-rules.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { playAgents, toldOf } from '../../support/desk/play-agents.ts';
import { sayCalls, sayStatus, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { buildDelegationDesk, sayActs, task } from '../support/delegation-desk.ts';

describe('helpers', () => {
  it('start at once; each call is decided in its own helper, in any order, and each final answer goes to the parent', async (t) => {
    const { desk, tool, act, all } = await buildDelegationDesk(t, {
      route: ({ agent }) => (agent?.name === 'worker' ? { approvers: ['user:U2'] } : {}),
    });
    playAgents(desk.model, {
      'look at three things\nplease': [
        sayCalls([task('scout', 'do A'), task('worker', 'do B'), task('scout', 'do C')]),
        sayText('All three are done.'),
      ],
      'do A': [sayActs('a1', 'a2'), sayText('A is done.')],
      'do B': [sayActs('b1', 'b2'), sayText('B is done.')],
      'do C': [sayActs('c1'), sayActs('c2'), sayText('C is done.')],
    });
    await desk.send('look at three things\nplease');
    assert.equal(tool.runs.length, 0);
    const asked = await act('b1');
    assert.deepEqual(
      [asked.agent, asked.askedLine, asked.requester, asked.work],
      ['worker', 'look at three things', REQUESTER, { line: 'do B', position: 1, siblings: 3 }],
    );
    for (const [note, by] of [
      ['b2', APPROVER],
      ['a1', REQUESTER],
      ['c1', REQUESTER],
      ['c2', REQUESTER],
      ['b1', APPROVER],
      ['a2', REQUESTER],
    ] as const) {
      assert.equal((await desk.decide(await act(note), by)).kind, 'decided', note);
      assert.equal(tool.runs.at(-1)?.note, note);
    }
    assert.deepEqual(toldOf(desk.model, 'do A'), ['did a1', 'did a2']);
    assert.deepEqual(toldOf(desk.model, 'do B'), ['did b1', 'did b2']);
    assert.deepEqual(toldOf(desk.model, 'do C'), ['did c1', 'did c2']);
    assert.deepEqual(toldOf(desk.model, 'look at three things\nplease'), [
      'A is done.',
      'B is done.',
      'C is done.',
    ]);
    assert.equal(tool.runs.length, 6);
    assert.deepEqual(
      desk.chat.said.map(({ text }) => text),
      ['All three are done.'],
    );
    assert.deepEqual(new Set((await all()).map(({ status }) => status)), new Set(['succeeded']));
    assert.deepEqual(desk.model.refusals, []);
    assert.ok(
      desk.chat.statuses.includes(
        'is waiting for helpers · scout is waiting for a decision on the card · worker is waiting for U2 · scout is waiting for a decision on the card',
      ),
      desk.chat.statuses.join('\n'),
    );
    assert.ok(desk.chat.statuses.some((text) => text.includes('· worker is thinking…')));
    assert.equal(desk.chat.statuses.at(-1), '');
  });

  it('learn what they may not use: tools of others, helpers nested too deep, unknown helpers', async (t) => {
    const { desk, all } = await buildDelegationDesk(t);
    playAgents(desk.model, {
      begin: [sayCalls([task('worker', 'first')]), sayText('Done.')],
      first: [
        sayCalls([task('worker', 'second'), task('scout', 'other'), task('nobody', 'third')]),
        sayText('First is done.'),
      ],
      second: [sayCalls([task('scout', 'too deep')]), sayText('Second is done.')],
      other: [sayCalls([task('worker', 'elsewhere')]), sayText('Other is done.')],
    });
    await desk.send('begin');
    assert.match(toldOf(desk.model, 'second')[0] ?? '', /no tool “task” for you. You have: act\./);
    assert.match(toldOf(desk.model, 'other')[0] ?? '', /no tool “task” for you. You have: act\./);
    const [second, other, third] = toldOf(desk.model, 'first');
    assert.deepEqual([second, other], ['Second is done.', 'Other is done.']);
    assert.match(third ?? '', /do not fit its schema/);
    assert.deepEqual(toldOf(desk.model, 'begin'), ['First is done.']);
    assert.equal((await all()).length, 3);
    const offered = desk.model.requests.map(({ tools }) =>
      tools?.map((tool) => tool.function.name),
    );
    assert.deepEqual(offered.slice(0, 2), [
      ['task', 'act'],
      ['task', 'act'],
    ]);
    assert.deepEqual(offered.slice(2, 4), [['act'], ['act']]);
  });

  it('end alone when a person ignores their call; the parent is told and continues', async (t) => {
    const { desk, act, statuses } = await buildDelegationDesk(t);
    playAgents(desk.model, {
      begin: [sayCalls([task('scout', 'do A'), task('scout', 'do B')]), sayText('Only B.')],
      'do A': [
        sayCalls(
          [
            { name: 'act', args: '{"note":"a1"}' },
            { name: 'act', args: '{"note":"a2"}' },
          ],
          'I begin with a1.',
        ),
      ],
      'do B': [sayActs('b1'), sayText('B is done.')],
    });
    await desk.send('begin');
    await desk.decide(await act('a1'), REQUESTER, { kind: 'ignore' });
    assert.deepEqual(await statuses(), {
      'do A': 'failed',
      'do B': 'running',
      a1: 'ignored',
      a2: 'withdrawn',
      b1: 'pending',
    });
    await desk.decide(await act('b1'), REQUESTER);
    const [a, b] = toldOf(desk.model, 'begin');
    assert.match(
      a ?? '',
      /without a final answer: a person ignored its call of act.*I begin with a1/s,
    );
    assert.equal(b, 'B is done.');
    assert.equal(desk.chat.said.at(-1)?.text, 'Only B.');
  });

  it('that fail are an error for the parent, and post nothing to people', async (t) => {
    const { desk } = await buildDelegationDesk(t);
    playAgents(desk.model, {
      begin: [sayCalls([task('scout', 'do A')]), sayText('It failed.')],
      'do A': [sayStatus(401)],
    });
    await desk.send('begin');
    assert.match(toldOf(desk.model, 'begin')[0] ?? '', /ended without a final answer: .+/);
    assert.deepEqual(
      desk.chat.said.map(({ text }) => text),
      ['It failed.'],
    );
  });
});

describe('helpers whose parent call ends first', () => {
  it('end without asking the model, after running tools end, when a sibling is ignored', async (t) => {
    const { desk, tool, act, statuses } = await buildDelegationDesk(t);
    playAgents(desk.model, {
      begin: [sayCalls([task('worker', 'do A'), { name: 'act', args: '{"note":"own"}' }])],
      'do A': [sayCalls([task('scout', 'do B'), { name: 'act', args: '{"note":"a1"}' }])],
      'do B': [sayActs('b1', 'b2')],
    });
    await desk.send('begin');
    const asked = desk.model.requests.length;
    const release = tool.hold();
    const b1 = await act('b1');
    const deciding = desk.decide(b1, REQUESTER);
    await until(() => tool.runs.length === 1);
    const ignoring = desk.decide(await act('own'), REQUESTER, { kind: 'ignore' });
    await until(async () => (await act('b2')).status === 'withdrawn');
    assert.ok(await desk.store.inbox.current(b1.thread));
    release();
    await Promise.all([deciding, ignoring]);
    assert.deepEqual(await statuses(), {
      'do A': 'withdrawn',
      'do B': 'withdrawn',
      own: 'ignored',
      a1: 'withdrawn',
      b1: 'succeeded',
      b2: 'withdrawn',
    });
    assert.equal(desk.model.requests.length, asked);
    assert.deepEqual(await desk.store.inbox.threadsWithMessages(), []);
    assert.equal(await desk.store.checkpoints.read(b1.thread), undefined);
    assert.equal(desk.chat.statuses.at(-1), '');
  });

  it('run nothing more, even if a person was about to approve it', async (t) => {
    const { desk, tool, act, all } = await buildDelegationDesk(t);
    playAgents(desk.model, {
      begin: [sayCalls([task('scout', 'do A')])],
      'do A': [sayActs('a1')],
    });
    await desk.send('begin');
    const [parent] = await all();
    assert.ok(parent);
    const step = withdrawCall(parent, 'stop', desk.clock.now());
    assert.ok(step);
    // The helper's thread is not woken: the approval comes before the worker looks at it.
    await desk.store.ledger.write(parent, [step], {});
    await desk.decide(await act('a1'), REQUESTER);
    const a1 = await act('a1');
    assert.deepEqual([a1.status, a1.outcome], ['withdrawn', { kind: 'withdrawn', cause: 'stop' }]);
    assert.deepEqual(tool.runs, []);
  });
});

describe('recovery from a dead worker', () => {
  it('starts a helper exactly once when the worker died between the claim and the start', async (t) => {
    const { desk, act, tool } = await buildDelegationDesk(t, { stalled: true });
    playAgents(desk.model, {
      begin: [sayCalls([task('scout', 'do A')]), sayText('Done.')],
      'do A': [sayActs('a1'), sayText('A is done.')],
    });
    const { receive } = desk.store.inbox;
    const inbox = Object.assign(desk.store.inbox, {
      receive: async (...args: Parameters<typeof receive>) =>
        args[0].delegated ? new Promise<never>(() => {}) : receive(...args),
    });
    const sending = desk.send('begin');
    await until(async () => (await desk.calls())[0]?.status === 'running');
    Object.assign(inbox, { receive });
    await desk.clock.advance(LEASE_MS);
    desk.takeOver();
    await until(async () => (await desk.store.ledger.withStatus('pending')).length === 1);
    await desk.decide(await act('a1'), REQUESTER);
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
    void sending;
  });

  for (const [which, idempotent] of [
    ['tool', false],
    ['tool that may run again', true],
  ] as const) {
    it(`marks the call unknown when the worker died while a withdrawn helper’s ${which} ran, and ends the helper`, async (t) => {
      const { desk, act, tool } = await buildDelegationDesk(t, { stalled: true, idempotent });
      playAgents(desk.model, {
        begin: [sayCalls([task('scout', 'do A'), { name: 'act', args: '{"note":"own"}' }])],
        'do A': [sayActs('a1')],
      });
      await desk.send('begin');
      tool.hold();
      const deciding = desk.decide(await act('a1'), REQUESTER);
      await until(() => tool.runs.length === 1);
      const ignoring = desk.decide(await act('own'), REQUESTER, { kind: 'ignore' });
      const { thread } = await act('a1');
      await until(async () => (await desk.calls())[0]?.status === 'withdrawn');
      assert.ok(await desk.store.inbox.current(thread));
      desk.takeOver();
      // Other work of this worker may renew its hold once more.
      await until(async () => {
        await desk.clock.advance(LEASE_MS);
        return (await desk.store.inbox.threadsWithMessages()).length === 0;
      }, 20);
      assert.equal((await act('a1')).status, 'unknown');
      assert.equal(tool.runs.length, 1);
      void [deciding, ignoring];
    });
  }

  for (const [when, port, method] of [
    ['before the last word was reported', 'ledger', 'write'],
    ['between the report and the end of the helper’s message', 'inbox', 'end'],
  ] as const) {
    it(`reports the helper exactly once when the worker died ${when}`, async (t) => {
      const { desk, act, tool, all } = await buildDelegationDesk(t, { stalled: true });
      playAgents(desk.model, {
        begin: [sayCalls([task('scout', 'do A')]), sayText('Done.')],
        'do A': [sayActs('a1'), sayText('A is done.')],
      });
      await desk.send('begin');
      const before = desk.store[port] as unknown as Record<string, (...args: unknown[]) => unknown>;
      const original = before[method];
      assert.ok(original);
      let isDead = false;
      before[method] = (...args) => {
        const [what, steps] = args as [{ tool?: string } | string, unknown];
        const isReport = typeof what === 'object' && what.tool === 'task' && Array.isArray(steps);
        const isEnd = typeof what === 'string' && what.startsWith('call_');
        if (!isReport && !isEnd) return original(...args);
        isDead = true;
        return new Promise(() => {});
      };
      const deciding = desk.decide(await act('a1'), REQUESTER);
      await until(() => isDead);
      before[method] = original;
      await desk.clock.advance(LEASE_MS);
      desk.takeOver();
      await until(() => desk.chat.said.length === 1);
      await until(async () => (await desk.store.inbox.threadsWithMessages()).length === 0);
      assert.deepEqual(toldOf(desk.model, 'begin'), ['A is done.']);
      assert.equal(tool.runs.length, 1);
      assert.equal(desk.model.requests.length, 4);
      const [parent] = await all();
      assert.equal(parent?.revision, 4);
      void deciding;
    });
  }
});
