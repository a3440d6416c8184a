/** Graphs that use Agent Inbox, and one with its own question format. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  Annotation,
  Command,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { findProtocol } from '../../../../src/agent/graphs/protocols/find-protocol.ts';
import type { ForeignDecision } from '../../../../src/agent/graphs/protocols/protocol.ts';

const MAIL = {
  action_request: { action: 'send_mail', args: { to: 'all', words: 'Hello' } },
  config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
  description: 'A mail to everybody.',
};
const READ = {
  action_request: { action: 'read_mail', args: {} },
  config: { allow_accept: true, allow_edit: false, allow_respond: false, allow_ignore: false },
};

/** Lets a graph ask this, answers with the decisions, and returns what the graph received. */
async function ask(value: unknown, decisions: readonly ForeignDecision[]): Promise<unknown> {
  const graph = new StateGraph(Annotation.Root({ heard: Annotation<unknown>() }))
    .addNode('ask', () => ({ heard: interrupt(value) }))
    .addEdge(START, 'ask')
    .compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: 'one' } };
  await graph.invoke({ heard: undefined }, config);
  const state = await graph.getState(config);
  const [asked] = state.tasks.flatMap(({ interrupts }) => interrupts);
  const protocol = findProtocol(asked?.value);
  const answer = protocol.encode(asked?.value, decisions);
  const resume = { [String(asked?.id)]: answer };
  return (await graph.invoke(new Command({ resume }), config)).heard;
}

it('asks with the decisions that it allows, for one request or a list', () => {
  const protocol = findProtocol(MAIL);
  assert.equal(protocol.name, 'Agent Inbox');
  assert.deepEqual(protocol.parse([MAIL, READ]), [
    {
      tool: 'send_mail',
      args: { to: 'all', words: 'Hello' },
      description: 'A mail to everybody.',
      decisions: ['approve', 'edit', 'reply', 'ignore'],
    },
    { tool: 'read_mail', args: {}, decisions: ['approve'] },
  ]);
});

const ANSWERS: readonly (readonly [ForeignDecision, unknown])[] = [
  [{ kind: 'approve' }, { type: 'accept', args: MAIL.action_request }],
  [
    { kind: 'edit', args: { to: 'one', words: 'Hi' } },
    { type: 'edit', args: { action: 'send_mail', args: { to: 'one', words: 'Hi' } } },
  ],
  [
    { kind: 'reply', text: 'Not today.' },
    { type: 'response', args: 'Not today.' },
  ],
  [{ kind: 'ignore' }, { type: 'ignore', args: null }],
];
for (const [decision, heard] of ANSWERS) {
  it(`encodes “${decision.kind}” as the graph reads it`, async () => {
    assert.deepEqual(await ask(MAIL, [decision]), [heard]);
  });
}

it('answers each request of a list, in order', async () => {
  const heard = await ask([READ, MAIL], [{ kind: 'approve' }, { kind: 'ignore' }]);
  assert.deepEqual(heard, [
    { type: 'accept', args: READ.action_request },
    { type: 'ignore', args: null },
  ]);
});

it('a question without a protocol is JSON, and accepts only a text answer', async () => {
  const value = { which: ['red', 'blue'] };
  assert.deepEqual(findProtocol(value).parse(value), [
    { tool: 'question', args: value, decisions: ['reply'] },
  ]);
  assert.equal(await ask(value, [{ kind: 'reply', text: 'blue' }]), 'blue');
  await assert.rejects(ask(value, [{ kind: 'approve' }]), /Only a reply can answer/);
});

it('a value that only resembles a protocol is a question', () => {
  for (const value of [{ ...MAIL, config: undefined }, [], [MAIL, 'x'], null, undefined]) {
    assert.equal(findProtocol(value).name, 'an unknown protocol');
  }
});

it('keys that a plain copy would drop are kept, because the graph runs with them', () => {
  const args = JSON.parse('{"to":"Ann","__proto__":{"euros":1000}}') as object;
  const call = { countersign: 1, call: { name: 'pay', args } };
  const hitl = {
    actionRequests: [{ name: 'pay', args }],
    reviewConfigs: [{ actionName: 'pay', allowedDecisions: ['approve'] }],
  };
  for (const value of [{ ...MAIL, action_request: { action: 'pay', args } }, call, hitl, args]) {
    const [request] = findProtocol(value).parse(value) ?? [];
    assert.match(JSON.stringify(request?.args), /__proto__.*1000/);
  }
});
