/** The protocol against the real middleware. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { Command, MemorySaver } from '@langchain/langgraph';
import fc from 'fast-check';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { hitlMiddlewareProtocol } from '../../../../src/agent/graphs/protocols/hitl-middleware.ts';
import type { ForeignDecision } from '../../../../src/agent/graphs/protocols/protocol.ts';

type Allowed = ('approve' | 'edit' | 'reject')[];
const ALL: Allowed = ['approve', 'edit', 'reject'];

/** Calls `pay` so many times at once, and then ends. */
class Scripted extends BaseChatModel {
  readonly #calls: number;

  constructor(calls: number) {
    super({});
    this.#calls = calls;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const isAsked = messages.at(-1)?.type === 'human';
    const calls = Array.from({ length: isAsked ? this.#calls : 0 }, (_, n) => ({
      type: 'tool_call' as const,
      id: `call_${n}`,
      name: 'pay',
      args: { n },
    }));
    const message = new AIMessage({ content: isAsked ? '' : 'Done.', tool_calls: calls });
    return { generations: [{ text: '', message }] };
  }
}

describe('the human-in-the-loop middleware of LangChain', () => {
  /** Lets an agent call `pay` once for each decision, and answers with these decisions. */
  async function play(decisions: readonly ForeignDecision[], allowedDecisions = ALL) {
    const ran: unknown[] = [];
    const pay = tool(
      (args: { n: number }) => {
        ran.push(args.n);
        return `Paid ${args.n}.`;
      },
      { name: 'pay', description: 'Pays.', schema: z.object({ n: z.number() }) },
    );
    // Its own types do not match with exactOptionalPropertyTypes.
    const approvals = { interruptOn: { pay: { allowedDecisions } } } as never;
    const agent = createAgent({
      model: new Scripted(decisions.length),
      tools: [pay],
      middleware: [humanInTheLoopMiddleware(approvals)] as never[],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: 'one' } };
    const asked = await agent.invoke({ messages: 'pay' }, config);
    const [interrupt] = asked.__interrupt__ ?? [];
    const requests = hitlMiddlewareProtocol.parse(interrupt?.value);
    const resume = hitlMiddlewareProtocol.encode(interrupt?.value, decisions);
    const end = await agent.invoke(new Command({ resume }), config);
    const told = end.messages.filter((message) => message.type === 'tool').map(({ text }) => text);
    return { requests, ran, told };
  }

  it('asks in order, with the allowed decisions', async () => {
    const { requests } = await play([{ kind: 'approve' }, { kind: 'ignore' }]);
    assert.deepEqual(
      requests?.map(({ tool, args, decisions }) => ({ tool, args, decisions })),
      [0, 1].map((n) => ({
        tool: 'pay',
        args: { n },
        decisions: ['approve', 'edit', 'reply', 'ignore'],
      })),
    );
  });

  it('runs what was decided for each call of a mixed batch', async () => {
    const { ran, told } = await play([
      { kind: 'approve' },
      { kind: 'ignore' },
      { kind: 'edit', args: { n: 70 } },
      { kind: 'reply', text: 'Ask the owner first.' },
    ]);
    assert.deepEqual(ran, [0, 70]);
    assert.equal(told.length, 4);
    assert.match(told.join('\n'), /pay__not_approved_do_not_retry is not a valid tool/);
  });

  it('reports the calls that it cannot run if a rejected call may not be edited', async () => {
    const { ran, told } = await play(
      [{ kind: 'approve' }, { kind: 'reply', text: 'Ask first.' }],
      ['approve', 'reject'],
    );
    assert.deepEqual(ran, []);
    assert.match(told[0] ?? '', /^Not run, although a person approved it: .* drops approved calls/);
    assert.equal(told[1], 'Ask first.');
  });

  it('uses tool names of at most 64 characters in its answers to the model', () => {
    const actions = ['a', 'b'.repeat(60)].map((name) => ({ name, args: {} }));
    const value = {
      actionRequests: actions,
      reviewConfigs: actions.map(({ name }) => ({ actionName: name, allowedDecisions: ALL })),
    };
    const answer = hitlMiddlewareProtocol.encode(value, [{ kind: 'approve' }, { kind: 'ignore' }]);
    assert.match(JSON.stringify(answer), /"name":"b{37}__not_approved_do_not_retry"/);
  });

  it('passes a person’s text to the model if nothing is approved', async () => {
    const { ran, told } = await play([
      { kind: 'reply', text: 'Ask the owner first.' },
      { kind: 'ignore' },
    ]);
    assert.deepEqual(ran, []);
    assert.deepEqual(told, ['Ask the owner first.', 'Not run: a person ignored this call.']);
  });

  it('runs the approved calls and nothing else, for every batch', async () => {
    const decision = fc.constantFrom<ForeignDecision>(
      { kind: 'approve' },
      { kind: 'ignore' },
      { kind: 'reply', text: 'no' },
      { kind: 'edit', args: { n: 100 } },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(decision, { minLength: 1, maxLength: 5 }), async (decisions) => {
        const { ran } = await play(decisions);
        const right = decisions.flatMap(
          ({ kind }, n) => ({ approve: [n], edit: [100], reply: [], ignore: [] })[kind],
        );
        assert.deepEqual(ran, right);
      }),
      { numRuns: 30 },
    );
  });
});

const PYTHON = {
  action_requests: [
    { name: 'pay', args: { n: 1 }, description: null },
    { name: 'mail', args: {} },
    { name: 'pay', args: { n: 2 } },
  ],
  review_configs: [
    { action_name: 'pay', allowed_decisions: ['approve', 'edit', 'reject'] },
    { action_name: 'mail', allowed_decisions: ['approve', 'respond'] },
  ],
};

it('reads and answers the Python middleware, with one config for each tool', () => {
  const requests = hitlMiddlewareProtocol.parse(PYTHON);
  assert.deepEqual(
    requests?.map(({ tool, decisions }) => [tool, decisions]),
    [
      ['pay', ['approve', 'edit', 'reply', 'ignore']],
      ['mail', ['approve', 'reply']],
      ['pay', ['approve', 'edit', 'reply', 'ignore']],
    ],
  );
  assert.deepEqual(
    hitlMiddlewareProtocol.encode(PYTHON, [
      { kind: 'edit', args: { n: 3 } },
      { kind: 'reply', text: 'Sent.' },
      { kind: 'ignore' },
    ]),
    {
      decisions: [
        { type: 'edit', edited_action: { name: 'pay', args: { n: 3 } } },
        { type: 'respond', message: 'Sent.' },
        { type: 'reject', message: 'Not run: a person ignored this call.' },
      ],
    },
  );
});

it('does not match a value without a config, a request or a decision', () => {
  assert.equal(hitlMiddlewareProtocol.parse({ ...PYTHON, review_configs: [] }), undefined);
  assert.equal(hitlMiddlewareProtocol.parse({ ...PYTHON, action_requests: [] }), undefined);
  assert.equal(hitlMiddlewareProtocol.parse('pay?'), undefined);
  assert.throws(
    () => hitlMiddlewareProtocol.encode(PYTHON, [{ kind: 'approve' }]),
    /1 decisions do not match an/,
  );
});
