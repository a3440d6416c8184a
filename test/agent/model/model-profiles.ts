/** Model servers as they are: what each refuses, and how it answers. Collected from public reports. */
import type { MockMessage, MockRequest } from '../../support/servers/mock-model-rules.ts';
import { finish, pieces, type Reply } from '../../support/servers/profile-server.ts';

export interface Profile {
  readonly name: string;
  /** Says why a request is refused with 400, or undefined. */
  readonly refuses?: (request: MockRequest) => string | undefined;
  /** The answer that calls the tool. (Default: OpenAI's.) */
  readonly call?: Reply;
  /** The answers after the tool has run. (Default: OpenAI's.) */
  readonly answer?: Reply;
  /** Which arguments run, in order. (Default: one call with {"n":1}.) */
  readonly runs?: readonly unknown[];
  /** The text that people read at the end of the turn. (Default: Paid.) */
  readonly says?: string;
  /** (Default: approve.) */
  readonly decision?: 'approve' | 'ignore';
}

type Json = Readonly<Record<string, unknown>>;

const ARGS = '{"n":1}';
const aCall = (args: unknown = ARGS, more: Json = {}): Json => ({
  index: 0,
  id: 'a1b2c3d4e',
  type: 'function',
  function: { name: 'pay', arguments: args },
  ...more,
});
const callPiece = (calls: readonly unknown[], more: Json = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
  ...more,
});
const withCalls = (calls: readonly unknown[], reason: unknown = 'tool_calls'): Reply => ({
  events: [...pieces(callPiece(calls)), finish(reason)],
});
const text = (content: unknown, reason: unknown = 'stop'): Reply => ({
  events: [...pieces({ role: 'assistant', content }), finish(reason)],
});

export const CALL = withCalls([aCall()]);
export const PAID = text('Paid.');

const assistants = ({ messages }: MockRequest) =>
  messages.filter(({ role }) => role === 'assistant');
const holds = (key: string) => (message: MockMessage) => Object.hasOwn(message, key);

function schemaRefusal({ tools }: MockRequest): string | undefined {
  const offered = JSON.stringify(tools?.map(({ function: { parameters } }) => parameters));
  if (/"pattern":/.test(offered)) return 'failed to parse grammar: Pattern must start with ^';
  if (/"(?:maxLength|maximum|minimum)":/.test(offered)) return 'failed to parse grammar: bounds';
  if (/"(?:\$ref|const|additionalProperties|exclusiveMinimum|type":\[)/.test(offered)) {
    return 'Invalid JSON payload received. Unknown name';
  }
  return undefined;
}

function roleRefusal({ messages }: MockRequest): string | undefined {
  for (const [at, { role, tool_calls: calls = [] }] of messages.entries()) {
    const before = messages[at - 1]?.role;
    if (role === 'user' && before === 'tool') return "Unexpected role 'user' after role 'tool'";
    if (role === 'user' && before === 'user') return 'Conversation roles must alternate';
    if (calls.some(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id)))
      return 'Tool call id has to be defined';
  }
  return undefined;
}

const THOUGHT = pieces(
  { role: 'assistant', content: null, reasoning_content: 'They want ' },
  { reasoning_content: 'to pay.' },
);

/** What servers refuse in our requests. */
const REFUSING: readonly Profile[] = [
  { name: 'llama.cpp and Gemini: schemas are grammars', refuses: schemaRefusal },
  { name: 'Mistral: roles take turns, ids have nine characters', refuses: roleRefusal },
  {
    name: 'Mistral: after a call that was ignored',
    refuses: roleRefusal,
    decision: 'ignore',
    runs: [],
    says: '',
  },
  {
    name: 'Mistral: calls without ids',
    refuses: roleRefusal,
    call: withCalls([aCall(ARGS, { id: undefined })]),
  },
  {
    name: 'DeepSeek: every message comes back with its thoughts',
    refuses: (request) =>
      assistants(request).every((each) => 'reasoning_content' in each && each.reasoning_content)
        ? undefined
        : 'The `reasoning_content` in the thinking mode must be passed back to the API.',
    call: { events: [...THOUGHT, ...pieces({ tool_calls: [aCall()] }), finish('tool_calls')] },
    answer: { events: [...THOUGHT, ...pieces({ content: 'Paid.' }), finish('stop')] },
  },
  {
    name: 'DeepSeek: an older message has no thoughts',
    refuses: (request) =>
      assistants(request).every(holds('reasoning_content'))
        ? undefined
        : 'Missing `reasoning_content` field in the assistant message',
  },
  {
    name: 'Gemini: every call comes back with its signature',
    refuses: (request) =>
      assistants(request).every(({ tool_calls: calls = [] }) =>
        calls.every((call) => JSON.stringify(call).includes('"thought_signature":"c2ln"')),
      )
        ? undefined
        : 'Function call is missing a thought_signature in functionCall parts.',
    call: withCalls([aCall(ARGS, { extra_content: { google: { thought_signature: 'c2ln' } } })]),
  },
  {
    name: 'Groq: thoughts that it sent itself are refused',
    refuses: (request) =>
      assistants(request).some(holds('reasoning'))
        ? "'messages.2' : for 'role:assistant' the following must be satisfied: property 'reasoning' is unsupported"
        : undefined,
    call: {
      events: [
        ...pieces({ role: 'assistant', reasoning: 'Hm.' }, { tool_calls: [aCall()] }),
        finish('tool_calls'),
      ],
    },
  },
  {
    name: 'OpenRouter: parts of thoughts come back joined',
    refuses: (request) => {
      const [first] = assistants(request);
      const details = first && (first as unknown as Json).reasoning_details;
      const whole = [
        { type: 'reasoning.text', index: 0, text: 'They want to pay.', signature: 's' },
      ];
      return first === undefined || JSON.stringify(details) === JSON.stringify(whole)
        ? undefined
        : 'reasoning_details were changed';
    },
    call: {
      events: [
        ...pieces(
          {
            role: 'assistant',
            reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'They want ' }],
          },
          {
            reasoning_details: [
              { type: 'reasoning.text', index: 0, text: 'to pay.', signature: 's' },
            ],
          },
          { tool_calls: [aCall()] },
        ),
        finish('tool_calls'),
      ],
    },
  },
  {
    name: 'a server without stream_options',
    refuses: ({ stream_options: asked }) =>
      asked ? 'Unrecognized request argument supplied: stream_options' : undefined,
  },
  {
    name: 'a Gemma template without a system role',
    refuses: ({ messages }) =>
      messages.some(({ role }) => role === 'system') ? 'System role not supported' : undefined,
  },
];

/** What servers send. */
const ANSWERING: readonly Profile[] = [
  {
    name: 'an empty role beside calls',
    call: { events: [...pieces({ role: '', content: '', tool_calls: [aCall()] }), finish('stop')] },
  },
  {
    name: 'no role at all',
    call: { events: [...pieces({ tool_calls: [aCall()] }), finish('tool_calls')] },
  },
  { name: 'arguments as an object', call: withCalls([aCall({ n: 1 })]) },
  {
    name: 'arguments as an object with quotes and brackets in it',
    call: {
      events: [
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"pay","arguments":{"to":"a \\"b\\" }","n":1}}}]}}]}',
        finish('tool_calls'),
      ],
    },
    runs: [{ n: 1, to: 'a "b" }' }],
  },
  {
    name: 'no arguments for a tool that needs none',
    call: withCalls([{ index: 0, id: 'c', function: { name: 'pay' } }]),
    runs: [{}],
  },
  {
    name: 'parallel calls under one index, with ids',
    call: withCalls([aCall(), aCall('{"n":2}', { id: 'f5g6h7i8j' })]),
    runs: [{ n: 1 }, { n: 2 }],
  },
  {
    name: 'parallel calls under one index, without ids, one after the other',
    call: {
      events: [
        ...pieces(
          callPiece([aCall(ARGS, { id: undefined })]),
          callPiece([aCall('{"n":2}', { id: undefined })]),
        ),
        finish('tool_calls'),
      ],
    },
    runs: [{ n: 1 }, { n: 2 }],
  },
  ...['eos_token', 'STOP', 'stop_sequence', '', null].map(
    (reason): Profile => ({
      name: `the finish reason ${JSON.stringify(reason)}`,
      call: withCalls([aCall()], reason),
      answer: text('Paid.', reason),
    }),
  ),
  {
    name: 'no [DONE]',
    call: { ...CALL, end: 'closed' },
    answer: { ...PAID, end: 'closed' },
  },
  {
    name: 'a connection that is cut behind the end of the answer',
    call: { ...CALL, end: 'cut' },
    answer: { ...PAID, end: 'cut' },
  },
  {
    name: 'content as a list of parts',
    answer: text([
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Paid.' },
    ]),
  },
  {
    name: 'a refusal',
    answer: {
      events: [
        ...pieces({ role: 'assistant', content: null, refusal: 'I can’t ' }, { refusal: 'say.' }),
        finish('stop'),
      ],
    },
    says: 'I can’t say.',
  },
  {
    name: 'thoughts in tags',
    answer: {
      events: [
        ...pieces({ content: '<thi' }, { content: 'nk>\nHm.</th' }, { content: 'ink>\n\nPaid.' }),
        finish('stop'),
      ],
    },
  },
  {
    name: 'thoughts with a closing tag alone',
    answer: {
      events: [
        ...pieces(
          { content: 'Hm. They ' },
          { content: 'want.\n</think>\n\n' },
          { content: 'Paid.' },
        ),
        finish('stop'),
      ],
    },
  },
  {
    name: 'an answer about the tag itself',
    answer: text('Write `</think>`\nto end a thought.'),
    says: 'Write `</think>`\nto end a thought.',
  },
  {
    name: 'plain JSON in place of a stream',
    call: {
      json: {
        object: 'chat.completion',
        choices: [{ index: 0, message: callPiece([aCall()]), finish_reason: 'tool_calls' }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      },
    },
    answer: {
      json: {
        choices: [
          { index: 0, message: { role: 'assistant', content: 'Paid.' }, finish_reason: 'stop' },
        ],
      },
    },
  },
];

export const PROFILES: readonly Profile[] = [...REFUSING, ...ANSWERING];
