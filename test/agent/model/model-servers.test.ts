/** Each model server end to end: a card, its decision, the answer and the next turn. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import {
  providerFieldsOf,
  toChatMessages,
} from '../../../src/agent/model/request/to-chat-messages.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';
import type { DeskOptions } from '../../support/desk/desk-options.ts';
import type { MockRequest } from '../../support/servers/mock-model-rules.ts';
import { createProfileServer, type Reply } from '../../support/servers/profile-server.ts';
import { CALL, PAID, PROFILES, type Profile } from './model-profiles.ts';

const HELPERS = [{ name: 'worker', description: 'Works.', prompt: 'Work.', tools: 'all' as const }];

async function openDesk(
  t: TestContext,
  answer: (request: MockRequest, index: number) => Reply,
  options: Partial<DeskOptions> = {},
) {
  const server = await createProfileServer(answer);
  t.after(() => server.stop());
  const runs: unknown[] = [];
  const pay = {
    name: 'pay',
    description: 'Pays.',
    schema: z.object({
      n: z.number().int().optional(),
      to: z.string().regex(/\S/).max(2000).nullish(),
      kind: z.literal('card').optional(),
    }),
    run: (args: unknown) => {
      runs.push(args);
      return 'ok';
    },
  };
  const desk = await buildDesk(t, {
    tools: [pay],
    helpers: HELPERS,
    modelUrl: server.url,
    ...options,
  });
  return { desk, server, runs };
}

function answerOf({ refuses, call = CALL, answer = PAID }: Profile, request: MockRequest): Reply {
  const refusal = refuses?.(request);
  if (refusal !== undefined) return { status: 400, json: { error: { message: refusal } } };
  const hasCalled = request.messages.some(({ role }) => role === 'tool');
  return hasCalled ? answer : call;
}

for (const profile of PROFILES) {
  test(profile.name, async (t) => {
    const { desk, runs } = await openDesk(t, (request) => answerOf(profile, request));
    const { says = 'Paid.', decision = 'approve' } = profile;
    const notices = () => desk.chat.said.filter(({ kind }) => kind === 'notice');
    const answers = () =>
      desk.chat.said.flatMap((say) => (say.kind === 'answer' ? [say.text] : []));

    await desk.send('Pay');
    assert.deepEqual(notices(), []);
    const asked = await desk.calls();
    assert.equal(asked.length, Math.max(1, profile.runs?.length ?? 1));
    for (const call of asked) await desk.decide(call, REQUESTER, { kind: decision });
    assert.deepEqual(runs, profile.runs ?? [{ n: 1 }]);
    assert.deepEqual(notices(), []);
    if (says !== '') assert.deepEqual(answers(), [says]);

    await desk.send('And now?');
    assert.deepEqual(notices(), []);
    assert.equal(answers().at(-1), says || 'Paid.');
  });
}

const OVERFLOWS: readonly (readonly [what: string, reply: Reply])[] = [
  [
    'vLLM',
    {
      status: 400,
      json: {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens.",
        code: 400,
      },
    },
  ],
  [
    'llama.cpp',
    {
      status: 400,
      json: {
        error: { code: 400, message: 'the request exceeds', type: 'exceed_context_size_error' },
      },
    },
  ],
  [
    'a list',
    { status: 400, json: [{ error: { code: 400, message: 'Too many input tokens: 5 > 4' } }] },
  ],
  ['plain text', { status: 500, text: 'prompt is too long: 9000 tokens' }],
  ['a stream', { events: [{ error: { code: 400, message: 'context length exceeded' } }] }],
];

for (const [what, reply] of OVERFLOWS) {
  test(`a too long context ends the turn with the remedy, as reported by ${what}`, async (t) => {
    const { desk, server } = await openDesk(t, () => reply, { modelRetries: 2 });
    await desk.send('Pay');
    assert.match(desk.chat.said.at(-1)?.text ?? '', /too long.*new thread.*CONTEXT_TOKENS/s);
    assert.equal(server.requests.length, 1);
  });
}

for (const [code, sentence] of [
  [402, /no credit/],
  ['402', /no credit/],
  [401, /does not accept our key/],
  [429, /too many requests/],
] as const) {
  test(`an error ${JSON.stringify(code)} within a stream ends the turn with its explanation`, async (t) => {
    const events = [{ error: { code, message: 'Provider returned error' } }];
    const { desk, server } = await openDesk(t, () => ({ events }));
    await desk.send('Pay');
    assert.match(desk.chat.said.at(-1)?.text ?? '', sentence);
    assert.equal(server.requests.length, 1);
  });
}

test('only the log and an admin get the server’s own words, without those of the conversation', async (t) => {
  const refusal = (request: MockRequest): Reply => ({
    status: 400,
    json: {
      error: {
        message: `Value "${String(request.messages.at(-1)?.content)}" is refused: rule 7\nsecond line`,
      },
    },
  });
  for (const admins of [undefined, new Set([REQUESTER.user])]) {
    const warnings: object[] = [];
    const log = { warn: (fields: object) => warnings.push(fields) };
    const { desk } = await openDesk(t, refusal, { log, ...(admins && { admins }) });
    await desk.send('the launch is on Friday');
    const textsOf = (kind: string) =>
      desk.chat.said.filter((say) => say.kind === kind).map(({ text, to }) => [text, to]);
    const safe = 'Value "[…]" is refused: rule 7';
    const [[notice = ''] = [], ...more] = textsOf('notice');
    assert.match(String(notice), /did not accept the request\. Ask again in other words;[^“]*$/);
    assert.deepEqual(more, []);
    assert.deepEqual(
      textsOf('private'),
      admins === undefined ? [] : [[`The model’s server said: “${safe}”`, REQUESTER]],
    );
    assert.ok(JSON.stringify(warnings).includes(JSON.stringify(`${safe}\nsecond line`)));
    assert.doesNotMatch(JSON.stringify([desk.chat.said, warnings]), /launch/);
  }
});

test('fields that a provider needs back are sent to no other one', () => {
  const signed = { extra_content: { signature: 's' } };
  const message = {
    ...{ role: 'assistant' as const, id: 'm', text: 'Hi.' },
    calls: [{ id: 'c', tool: 'pay', args: '{}', fields: signed }],
    provider: { origin: 'https://a.example', fields: { reasoning_content: 'Hm.' } },
  };
  const sentTo = (origin: string) => {
    const sent = toChatMessages([message], new Map(), origin);
    const [call] = sent[0]?.additional_kwargs.tool_calls ?? [];
    return [providerFieldsOf(sent)[0], call && 'extra_content' in call];
  };
  assert.deepEqual(sentTo('https://a.example'), [{ reasoning_content: 'Hm.' }, true]);
  assert.deepEqual(sentTo('https://b.example'), [undefined, false]);
});
