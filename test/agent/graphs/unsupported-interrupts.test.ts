/** Graphs that ask, answer or end in unusual ways. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { AIMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages';
import {
  type BaseCheckpointSaver,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createGraphAgent } from '../../../src/agent/graphs/create-graph-agent.ts';
import { createLocalGraph } from '../../../src/agent/graphs/local-graph.ts';
import { describeStoppedRun } from '../../../src/desk/calls/execution/run-tool.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { describeStatusWithIcon } from '../../../src/slack/cards/settled-card.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { buildGraphDesk } from './graph-desk.ts';

type State = typeof MessagesAnnotation.State;
type Node = (state: State) => Partial<State> | Promise<Partial<State>>;

/** A graph of nodes in sequence; the nodes can differ each time it is read. */
async function deskOver(t: TestContext, nodesOf: () => Readonly<Record<string, Node>>) {
  const local = (saver: BaseCheckpointSaver) => {
    const graph = new StateGraph(MessagesAnnotation)
      .addSequence(Object.entries(nodesOf()))
      .addEdge(START, Object.keys(nodesOf())[0] as never)
      .compile({ checkpointer: saver });
    return createLocalGraph('odd', { graph, stream: graph.stream.bind(graph), saver });
  };
  return await buildGraphDesk(t, 'odd', {
    agentOf: async ({ saver }) => {
      const graph = {
        ...local(saver),
        read: async (...args: Parameters<ReturnType<typeof local>['read']>) =>
          await local(saver).read(...args),
        run: async (...args: Parameters<ReturnType<typeof local>['run']>) =>
          await local(saver).run(...args),
      };
      return createGraphAgent({ graph, log: { error: () => {} } });
    },
  });
}

const HALF = JSON.parse('"half \\ud83d"') as string;
const answers = (text: unknown): Partial<State> => ({ messages: [new AIMessage(String(text))] });
const asks =
  (value: unknown): Node =>
  () =>
    answers(interrupt(value));
const perCall = (args: unknown, name = 'pay') => ({ countersign: 1, call: { name, args } });

function textOf(call: Call | undefined): string {
  const outcome = call?.outcome;
  return outcome && 'text' in outcome ? outcome.text : `no text: ${outcome?.kind}`;
}

describe('a question that cannot be shown ends the turn with a message, and the thread continues', () => {
  const badSchema = {
    action_requests: [{ name: 'pay', args: { id: 1 } }],
    review_configs: [
      { action_name: 'pay', allowed_decisions: ['edit'], args_schema: { requird: ['id'] } },
    ],
  };
  const cases: readonly (readonly [what: string, value: unknown, sentence: RegExp])[] = [
    ['half of a character', { [HALF]: HALF }, /“odd” asks something that I can’t show .* half of/],
    ['too much', 'x'.repeat(300_000), /“odd” asks something that I can’t show .* 256 KB/],
    [
      'a misspelled schema',
      badSchema,
      /“odd” asks about “pay” with an argument schema .* did you mean “required”\?/,
    ],
  ];
  for (const [what, value, sentence] of cases) {
    it(what, async (t) => {
      let node = asks(value);
      const desk = await deskOver(t, () => ({ ask: node }));
      await desk.send('go');
      assert.match(desk.said().at(-1) ?? '', sentence);
      assert.deepEqual(await desk.calls(), []);
      await desk.send('stop');
      await desk.send('forget this thread');
      node = () => answers('All is well.');
      await desk.send('and now?');
      assert.equal(desk.said().at(-1), 'All is well.');
    });
  }

  it('a call with half of a character is rejected with a reply to its maker', async (t) => {
    const question = { ...perCall({ to: HALF }, `pay ${HALF}`), description: HALF };
    const desk = await deskOver(t, () => ({
      ask: () => answers(JSON.stringify(interrupt(question))),
    }));
    await desk.send('go');
    assert.match(desk.said().at(-1) ?? '', /"type":"reply".*half of a character/);
  });
});

it('values that JSON cannot represent are shown by their content, and a call stays a call', async (t) => {
  const value = { tags: new Set(['red']), sizes: new Map([['s', 1]]), none: undefined };
  const odd = await deskOver(t, () => ({ ask: asks(value) }));
  await odd.send('go');
  assert.equal((await odd.calls())[0]?.args, '{"sizes":[["s",1]],"tags":["red"]}');
  const hitl = {
    actionRequests: [{ name: 'pay', args: { euros: 3, to: undefined } }],
    reviewConfigs: [{ actionName: 'pay', allowedDecisions: ['approve'] }],
  };
  const call = await deskOver(t, () => ({ ask: asks(hitl) }));
  await call.send('go');
  const [asked] = await call.calls();
  assert.deepEqual([asked?.tool, asked?.args], ['pay', '{"euros":3}']);
});

it('a number that its server sends as text, to keep its digits, is accepted against a number schema', async (t) => {
  const largest = '9223372036854775807';
  const schema = {
    type: 'object',
    properties: { id: { type: 'integer', maximum: largest }, key: { writeOnly: true } },
  };
  const hitl = {
    action_requests: [{ name: 'pay', args: { id: largest, key: 'hush' } }],
    review_configs: [{ action_name: 'pay', allowed_decisions: ['edit'], args_schema: schema }],
  };
  const desk = await deskOver(t, () => ({ ask: asks(hitl) }));
  await desk.send('go');
  const [call] = await desk.calls();
  assert.deepEqual([call?.status, call?.secrets], ['pending', ['key']]);
});

it('a call that the graph never answers is reported as failed, and so is the missing answer', async (t) => {
  const calls = [1, 2].map((euros) => ({
    type: 'tool_call' as const,
    id: `c${euros}`,
    name: 'pay',
    args: { euros },
  }));
  const desk = await deskOver(t, () => ({
    model: () => ({ messages: [new AIMessage({ id: 'a1', content: '', tool_calls: calls })] }),
    ask: () => {
      interrupt(perCall({ euros: 1 }));
      return {};
    },
  }));
  await desk.send('go');
  await desk.approve(await desk.open('1'));
  assert.match(desk.said().at(-1) ?? '', /^“odd” ended without an answer\.$/);
  const [call] = await desk.calls();
  assert.match(textOf(call), /^Handed to “odd”, which left it without an answer\. It may have run/);
  assert.match(call ? describeStatusWithIcon(call) : '', /^:x: \*Failed\*/);
});

it('a call that is stopped while its graph runs it may have run, even beside an unreadable one', async (t) => {
  let begin = () => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const value = {
    actionRequests: [{ to: 'Ann' }, { to: HALF }].map((args) => ({ name: 'pay', args })),
    reviewConfigs: [{ actionName: 'pay', allowedDecisions: ['approve', 'edit', 'reject'] }],
  };
  const ask: Node = async () => {
    interrupt(value);
    begin();
    return await new Promise<never>(() => {});
  };
  const desk = await deskOver(t, () => ({ ask }));
  await desk.send('go');
  await desk.press(await desk.open('Ann'));
  await began;
  await desk.send('stop');
  const [call] = await desk.calls();
  assert.deepEqual([call?.status, textOf(call)], ['failed', describeStoppedRun('pay')]);
});

it('a graph that summarizes its current message continues its turn, even after a restart, and does nothing twice', async (t) => {
  let begun = 0;
  const pays = (euros: number): Node => {
    return () => {
      interrupt(perCall({ euros }));
      return { messages: [new AIMessage(`Paid ${euros}.`)] };
    };
  };
  const desk = await deskOver(t, () => ({
    plan() {
      begun += 1;
      return answers('I am about to pay.');
    },
    first: pays(1),
    sumUp: ({ messages }) => ({
      messages: [
        ...messages.map(({ id }) => new RemoveMessage({ id: String(id) })),
        new HumanMessage('So far: 1 was paid.'),
      ],
    }),
    second: pays(2),
  }));
  await desk.send('go');
  await desk.approve(await desk.open('1'));
  await desk.restart();
  await desk.approve(await desk.open('2'));
  assert.deepEqual([begun, desk.said().at(-1)], [1, 'Paid 2.']);
  await desk.send('go on');
  await desk.approve(await desk.open('1'));
  assert.deepEqual([begun, (await desk.calls()).length], [2, 4]);
});

it('a bare yes answers a question that only accepts text', async (t) => {
  const desk = await deskOver(t, () => ({ ask: asks('Shall I go on?') }));
  await desk.send('go');
  await desk.send('Yes');
  assert.equal(desk.said().at(-1), 'Yes');
  assert.equal((await desk.calls())[0]?.status, 'replied');
});

it('a question whose node is gone is answered with a note that nobody waits for it', async (t) => {
  let name = 'ask';
  const desk = await deskOver(t, () => ({ [name]: asks('Which colour?') }));
  await desk.send('go');
  const question = await desk.open('colour');
  name = 'inquire';
  await desk.reply(question, 'red');
  assert.match(desk.said().at(-1) ?? '', /^“odd” no longer waits for “question”/);
  await desk.send('again');
  assert.equal((await desk.open('colour')).status, 'pending');
  assert.equal((await desk.store.inbox.current(THREAD))?.text, 'again');
});

describe('calls that LangChain’s middleware silently drops beside a rejected one', () => {
  const cases = { graph: ['reply', 'ignore'], withoutEdit: ['approve', 'reply', 'ignore'] };
  for (const [exported, decisions] of Object.entries(cases)) {
    it(`get an answer, so that the model continues: ${exported}`, async (t) => {
      const desk = await buildGraphDesk(t, 'their-middleware', { exported });
      await desk.send(`delete ${decisions.length}+`);
      for (const [index, kind] of decisions.entries()) {
        const call = await desk.open(`file-${index + 1}`);
        if (kind === 'approve') await desk.approve(call);
        if (kind === 'reply') await desk.reply(call, 'Keep it.');
        if (kind === 'ignore') await desk.ignore(call);
      }
      assert.match(
        desk.said().at(-1) ?? '',
        /^So it went: .*dropped it because another call.* \/ Keep it\. \/ /,
      );
      assert.deepEqual(await desk.ran(), []);
      // The calls of the next message have the same numbers.
      await desk.send(`delete ${decisions.length}+`);
      await desk.send('never mind');
      await desk.send('hello');
      assert.match(desk.said().at(-1) ?? '', /^You said: hello/);
    });
  }

  it('do not run if an inner helper makes them, whose messages cannot be changed', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware', { exported: 'inside' });
    await desk.send('delete 1');
    await desk.ignore(await desk.open('file-1'));
    assert.match(desk.said().at(-1) ?? '', /Saw file-2\..*delete_file__not_approved_do_not_retry/);
    assert.deepEqual(await desk.ran(), []);
  });
});

describe('createAgent from another copy of the library', () => {
  it('accepts our answers, although they are not instances of its own classes', async (t) => {
    const desk = await buildGraphDesk(t, 'common-js.cjs');
    await desk.send('2');
    await desk.approve(await desk.open('file-1'));
    await desk.ignore(await desk.open('file-2'));
    assert.deepEqual(await desk.ran(), ['file-1']);
    assert.equal(textOf((await desk.calls())[0]), 'Deleted file-1.');
    assert.equal(desk.said().at(-1), 'So be it.');
  });

  it('does not run a call that its middleware would drop beside a rejected one, and the card says why', async (t) => {
    const desk = await buildGraphDesk(t, 'common-js.cjs', { exported: 'withoutEdit' });
    await desk.send('3');
    await desk.approve(await desk.open('file-1'));
    await desk.ignore(await desk.open('file-2'));
    await desk.approve(await desk.open('file-3'));
    assert.deepEqual(await desk.ran(), []);
    const [one, , three] = await desk.calls();
    assert.deepEqual([one?.status, three?.status], ['failed', 'failed']);
    // The model is told too, as far as it may know.
    assert.match(textOf(one), /^Not run, although a person approved it/);
    assert.match(textOf(three), /^Not run: the graph’s middleware drops approved calls/);
  });
});
