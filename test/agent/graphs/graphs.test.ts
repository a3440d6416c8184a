/** Third-party graphs behind the desk: every question is a call, and every answer reaches its question. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { createGraphAgent } from '../../../src/agent/graphs/create-graph-agent.ts';
import type { GraphSnapshot } from '../../../src/agent/graphs/foreign-graph.ts';
import { toGraphUserMessage } from '../../../src/agent/graphs/graph-messages.ts';
import { createLocalGraph } from '../../../src/agent/graphs/local-graph.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { describeStatusWithIcon } from '../../../src/slack/cards/settled-card.ts';
import { atOnce } from '../../fixtures/graphs/questions.ts';
import { APPROVER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { askAll } from '../../support/desk/build-desk.ts';
import { buildGraphDesk, type GraphDesk } from './graph-desk.ts';

async function callsOf(desk: GraphDesk): Promise<readonly string[]> {
  const calls = await desk.calls();
  return calls.map(({ status, args }) => `${status} ${args}`);
}

function textOf(call: Call | undefined): string {
  const outcome = call?.outcome;
  return outcome && 'text' in outcome ? outcome.text : `no text: ${outcome?.kind}`;
}

describe('createAgent with LangChain’s middleware', () => {
  it('gets a batch when its last call is decided, even after a restart, and only approvers decide', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware');
    await desk.send('delete 3');
    const first = await desk.open('file-1');
    assert.deepEqual(first.outside?.decisions, ['approve', 'edit', 'reply', 'ignore']);
    assert.equal(first.outside?.name, 'their-middleware');
    assert.match(first.words, /^Tool execution requires approval/);
    const stranger = await desk.decide(first, APPROVER);
    assert.equal(stranger.kind, 'not-allowed');
    await desk.approve(first);
    await desk.reply(await desk.open('file-2'), 'That one stays.');
    assert.deepEqual(await desk.ran(), []);
    await desk.restart();
    assert.deepEqual(await desk.ran(), []);
    await desk.decide(await desk.open('file-3'), REQUESTER, {
      kind: 'edit',
      args: { path: 'file-33' },
    });
    assert.deepEqual(await desk.ran(), ['file-1', 'file-33']);
    const calls = await desk.calls();
    assert.deepEqual(
      calls.map(({ status, delivered }) => [status, delivered]),
      [
        ['succeeded', true],
        ['replied', true],
        ['succeeded', true],
      ],
    );
    assert.deepEqual(calls.map(textOf), ['Deleted file-1.', 'That one stays.', 'Deleted file-33.']);
    assert.match(desk.said().at(-1) ?? '', /^So it went: Deleted file-1\. .* Deleted file-33\./);
  });

  it('does not get a decision that was changed in the database', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware');
    await desk.send('delete 3');
    await desk.approve(await desk.open('file-1'));
    const db = new Database(join(desk.dataDir, 'countersign.db'));
    const change = (id: string | undefined, from: string, to: string) =>
      db
        .prepare('UPDATE records SET document = replace(document, ?, ?) WHERE key = ?')
        .run(from, to, `call/${id}`);
    const [one, two] = await desk.calls();
    change(one?.id, 'file-1', 'file-9');
    change(two?.id, '"status":"pending"', '"status":"running"');
    db.close();
    await desk.approve(await desk.open('file-3'));
    assert.deepEqual(
      (await desk.calls()).map(({ status, outcome }) => [status, outcome?.kind]),
      [
        ['failed', 'error'],
        ['failed', 'error'],
        ['succeeded', 'result'],
      ],
    );
    assert.deepEqual(await desk.ran(), ['file-3']);
    assert.equal(desk.integrity.count(), 2);
  });

  it('leaves nothing behind in a stopped turn that breaks the next message', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware');
    await desk.send('delete 2');
    await desk.approve(await desk.open('file-1'));
    await desk.send('stop');
    assert.deepEqual(await desk.ran(), []);
    const [one, two] = await desk.calls();
    assert.deepEqual([one?.status, two?.status], ['withdrawn', 'withdrawn']);
    assert.match(String(one?.note), /before it was handed over: nothing was run/);
    await desk.send('hello');
    // The graph's own memory of the thread: four messages of the previous turn, and this one.
    assert.equal(desk.said().at(-1), 'You said: hello (5)');
  });

  it('ends the turn with a message on an error of the graph, and the next message works', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware');
    await desk.send('crash');
    assert.match(desk.said().at(-1) ?? '', /“their-middleware” stopped with an error/);
    await desk.send('hello');
    assert.match(desk.said().at(-1) ?? '', /^You said: hello/);
  });
});

describe('createAgent with our middleware', () => {
  it('each decision takes effect at once, and survives a crash before it is handed over', async (t) => {
    const desk = await buildGraphDesk(t, 'our-middleware');
    await desk.send('delete 4');
    const one = await desk.open('file-1');
    await desk.approve(await desk.open('file-2'));
    assert.deepEqual(await desk.ran(), ['file-2']);
    assert.equal(textOf((await desk.calls())[1]), 'Deleted file-2.');
    // Decided while no worker runs.
    await desk.restart(() => desk.press(one));
    await desk.rest();
    assert.deepEqual(await desk.ran(), ['file-2', 'file-1']);
    await desk.ignore(await desk.open('file-3'));
    assert.equal((await desk.open('file-4')).status, 'pending');
    await desk.decide(await desk.open('file-4'), REQUESTER, {
      kind: 'edit',
      args: { path: 'file-44' },
    });
    assert.deepEqual(await desk.ran(), ['file-2', 'file-1', 'file-44']);
    assert.match(desk.said().at(-1) ?? '', /a person ignored this call.* Deleted file-44/);
    assert.equal(await desk.asked(), 2);
  });

  it('after a crash while the graph runs a call, it is resumed with the same decision, and nobody is asked again', async (t) => {
    const desk = await buildGraphDesk(t, 'our-middleware');
    await desk.send('delete 1');
    const release = await desk.hold();
    await desk.press(await desk.open('file-1'));
    await desk.began('file-1');
    await desk.restart(release);
    await desk.clock.advance(60_000);
    await desk.rest();
    const [call, ...more] = await desk.calls();
    assert.deepEqual([call?.status, textOf(call), more], ['succeeded', 'Deleted file-1.', []]);
    assert.match(desk.said().at(-1) ?? '', /^So it went: Deleted file-1\.$/);
    // One decision, but not one run: that is up to the graph.
    assert.deepEqual(await desk.ran(), ['file-1', 'file-1']);
  });

  it('the policy decides on its calls as on all external calls', async (t) => {
    const gate = askAll();
    const desk = await buildGraphDesk(t, 'our-middleware', {
      gate: (facts) => {
        assert.deepEqual(facts.agent, { kind: 'graph', name: 'our-middleware' });
        assert.equal(facts.isOutside, true);
        const path = JSON.stringify(facts.args);
        if (path.includes('file-1')) return { kind: 'run' };
        return path.includes('file-2') ? { kind: 'refuse', reason: 'Never that.' } : gate(facts);
      },
    });
    await desk.send('delete 3');
    assert.deepEqual(await desk.ran(), ['file-1']);
    assert.deepEqual(await callsOf(desk), [
      'succeeded {"path":"file-1"}',
      'refused {"path":"file-2"}',
      'pending {"path":"file-3"}',
    ]);
    await desk.approve(await desk.open('file-3'));
    assert.match(desk.said().at(-1) ?? '', /Never that\./);
  });
});

describe('a graph that uses Agent Inbox', () => {
  it('accepts accept, edit, response and ignore', async (t) => {
    const desk = await buildGraphDesk(t, 'inbox-graph');
    const decide = async (act: (call: Call) => Promise<unknown>): Promise<string | undefined> => {
      await desk.send('write to Ann');
      const call = await desk.open('ann@example.com');
      assert.equal(call.words, 'A mail that is ready to go.');
      await act(call);
      return desk.said().at(-1);
    };
    assert.equal(await decide(desk.approve), 'Sent to ann@example.com.');
    const args = { to: 'bob@example.com', subject: 'Hello' };
    const edit = (call: Call) => desk.decide(call, REQUESTER, { kind: 'edit', args });
    assert.equal(await decide(edit), 'Sent to bob@example.com.');
    const reply = (call: Call) => desk.reply(call, 'Not today.');
    assert.equal(await decide(reply), 'I was told: Not today.');
    assert.equal(await decide(desk.ignore), 'I leave it.');
    assert.deepEqual(await desk.ran(), ['ann@example.com', 'bob@example.com']);
    const [handed] = await desk.calls();
    assert.match(textOf(handed), /Handed to “inbox-graph”, which did not report/);
    assert.ok(handed);
    assert.match(describeStatusWithIcon(handed), /^:outbox_tray: \*Handed over\*/);
  });

  it('is told that an undecided call has expired, and does not run it', async (t) => {
    const desk = await buildGraphDesk(t, 'inbox-graph');
    await desk.send('write to Ann');
    await desk.clock.advance(25 * 3_600_000);
    await desk.rest();
    assert.match(desk.said().at(-1) ?? '', /^I was told: Not run: nobody decided in time/);
    assert.deepEqual(await desk.ran(), []);
  });
});

describe('a deep agent', () => {
  for (const kind of ['SQLite', 'Redis'] as const) {
    it(`shows the questions of its sub-agents, and decided calls run there (${kind})`, async (t) => {
      const desk = await buildGraphDesk(t, 'deep-agent', { kind });
      await desk.send('delete 2');
      await desk.approve(await desk.open('file-1'));
      assert.deepEqual(await desk.ran(), ['file-1']);
      assert.equal((await desk.calls()).filter(({ status }) => status === 'pending').length, 1);
      await desk.ignore((await desk.calls()).find(({ status }) => status === 'pending') as Call);
      assert.match(desk.said().at(-1) ?? '', /So it went/);
      assert.deepEqual(await desk.ran(), ['file-1']);
    });
  }
});

describe('questions without a protocol', () => {
  it('are asked twice if a node asks the same one twice, and each gets its own answer', async (t) => {
    const desk = await buildGraphDesk(t, 'questions', { exported: 'twice' });
    await desk.send('go');
    assert.deepEqual((await desk.open('colour')).outside?.decisions, ['reply']);
    await desk.reply(await desk.open('colour'), 'red');
    await desk.reply(await desk.open('colour'), 'blue');
    await desk.reply(await desk.open('size'), 'large');
    assert.equal(desk.said().at(-1), 'red, blue, large');
    assert.equal((await desk.calls()).length, 3);
  });

  it('are answered one by one if there are two, even if the id of one changes meanwhile', async (t) => {
    const saver = SqliteSaver.fromConnString(':memory:');
    const graph = atOnce(saver);
    const stream = graph.stream.bind(graph);
    const local = createLocalGraph('at-once', { graph, stream, saver });
    const desk = await buildGraphDesk(t, 'questions', {
      agentOf: async () => createGraphAgent({ graph: local, log: { error: () => {} } }),
    });
    await desk.send('go');
    const idsOf = async () =>
      (await desk.agent().read(THREAD)).open.map(({ interruptId }) => interruptId);
    const before = await idsOf();
    await graph.updateState({ configurable: { thread_id: THREAD } }, { messages: [] });
    await desk.reply(await desk.open('one'), 'Uno');
    assert.deepEqual(await desk.ran(), ['one Uno']);
    // An answered one still lists its question: nobody is asked again.
    assert.deepEqual(
      (await desk.calls()).map(({ status, delivered }) => [status, delivered]),
      [
        ['replied', true],
        ['pending', false],
      ],
    );
    const now = await idsOf();
    assert.equal(now.length, 1);
    assert.ok(!before.includes(now[0] ?? ''));
    await desk.reply(await desk.open('two'), 'Due');
    assert.deepEqual(await desk.ran(), ['one Uno', 'two Due']);
    assert.equal(desk.said().at(-1), 'Thanks for both.');
    assert.equal((await desk.calls()).length, 2);
  });

  it('end the turn with the reason if nobody answers', async (t) => {
    const desk = await buildGraphDesk(t, 'questions', { exported: 'twice' });
    await desk.send('go');
    await desk.clock.advance(25 * 3_600_000);
    await desk.rest();
    assert.match(desk.said().at(-1) ?? '', /does not accept this answer.*nobody decided in time/);
    await desk.send('again');
    await desk.reply(await desk.open('colour'), 'green');
    assert.equal((await desk.calls()).filter(({ status }) => status === 'pending').length, 1);
    assert.equal((await desk.store.inbox.current(THREAD))?.text, 'again');
  });

  it('are not asked if several have one id: an answer could reach the wrong one', async (t) => {
    const snapshot: GraphSnapshot = {
      isBusy: false,
      isRewritten: false,
      exists: true,
      messages: [
        toGraphUserMessage({ role: 'user', id: 'm1', text: 'go', author: REQUESTER, at: 1 }),
      ],
      tasks: [
        {
          name: 'ask',
          isDone: false,
          interrupts: ['One?', 'Two?'].map((value) => ({ id: 'a'.repeat(32), value })),
        },
      ],
    };
    const run = t.mock.fn(async () => {});
    const reads = { read: async () => snapshot, earlier: async function* () {} };
    const graph = { name: 'odd', ...reads, run, settle: run, halt: run };
    const state = await createGraphAgent({ graph, log: { error: () => {} } }).read(THREAD);
    assert.deepEqual([state.phase, state.open], ['finished', []]);
    assert.match(state.failure ?? '', /“odd” asks several questions at once in one task/);
  });
});
