/** Requests of Agent Inbox with the action `tool_execution`, in their exact format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findProtocol } from '../../../../src/agent/graphs/protocols/find-protocol.ts';
import type { ForeignDecision } from '../../../../src/agent/graphs/protocols/protocol.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { readmeSnippet } from '../../../support/readme-snippet.ts';

const CONFIG = { allow_respond: true, allow_accept: true, allow_edit: true, allow_ignore: true };
const asking = (args: unknown, config: object = CONFIG) => ({
  action_request: { action: 'tool_execution', args },
  config,
});
const SEARCH = asking({ search: { query: '…' } });
const README = JSON.parse(
  readmeSnippet('src/agent/graphs/README.md', '"tool_execution"'),
) as JsonValue;

const APPROVE = { kind: 'approve' } as const;
const IGNORE = { kind: 'ignore' } as const;
const reply = (text: string) => ({ kind: 'reply', text }) as const;
const edit = (args: JsonValue) => ({ kind: 'edit', args }) as const;

const encode = (value: unknown, ...decisions: ForeignDecision[]) =>
  findProtocol(value).encode(value, decisions);
const lost = (value: unknown, ...decisions: ForeignDecision[]) =>
  findProtocol(value).lost?.(value, decisions);

test('the tool and its arguments replace the action', () => {
  for (const value of [SEARCH, [SEARCH]]) {
    assert.equal(findProtocol(value).name, 'Agent Inbox');
    assert.deepEqual(findProtocol(value).parse(value), [
      { tool: 'search', args: { query: '…' }, decisions: ['approve', 'edit', 'reply', 'ignore'] },
    ]);
  }
});

test('the answer has the format of the graph', () => {
  for (const [decision, answer] of [
    [APPROVE, [{ type: 'accept' }]],
    [edit({ query: 'new' }), [{ type: 'edit', args: { args: { search: { query: 'new' } } } }]],
    [reply('text'), [{ type: 'response', args: 'text' }]],
    [IGNORE, [{ type: 'ignore' }]],
  ] as const) {
    assert.deepEqual(encode(SEARCH, decision), answer);
    assert.deepEqual(encode([SEARCH], decision), answer);
    assert.deepEqual(lost(SEARCH, decision), []);
  }
});

test('the example of the README: one call per tool, and one answer for all', () => {
  const search = { query: 'refunds' };
  const mail = { to: 'ann@example.com' };
  const requests = findProtocol(README).parse(README);
  assert.deepEqual(
    requests?.map(({ tool, args }) => [tool, args]),
    [
      ['search', search],
      ['send_mail', mail],
    ],
  );
  const to = { to: 'bob@example.com' };
  for (const [decisions, answer, isLost] of [
    [[APPROVE, APPROVE], { type: 'accept' }, []],
    [[APPROVE, edit(to)], { type: 'edit', args: { args: { search, send_mail: to } } }, []],
    [[APPROVE, reply('No.')], { type: 'response', args: 'No.' }, [0]],
    [[reply('No.'), edit(to)], { type: 'response', args: 'No.' }, [1]],
    [[reply('No.'), reply('No.')], { type: 'response', args: 'No.' }, []],
    [[reply('One.'), reply('Two.')], { type: 'response', args: 'One.\n\nTwo.' }, []],
    [[IGNORE, reply('No.')], { type: 'response', args: 'No.' }, []],
    [[edit(search), IGNORE], { type: 'ignore' }, [0]],
    [[IGNORE, IGNORE], { type: 'ignore' }, []],
  ] as const) {
    assert.deepEqual(encode(README, ...decisions), [answer]);
    assert.deepEqual(lost(README, ...decisions), isLost);
  }
});

test('a list keeps its order, and each of its requests has its own answer', () => {
  const other = { action_request: { action: 'pay', args: { euros: 1 } }, config: CONFIG };
  const value = [other, README, SEARCH];
  const requests = findProtocol(value).parse(value) ?? [];
  assert.deepEqual(
    requests.map(({ tool }) => tool),
    ['pay', 'search', 'send_mail', 'search'],
  );
  const decisions = [APPROVE, APPROVE, IGNORE, APPROVE];
  assert.deepEqual(encode(value, ...decisions), [
    { type: 'accept', args: other.action_request },
    { type: 'ignore' },
    { type: 'accept' },
  ]);
  assert.deepEqual(lost(value, ...decisions), [1]);
  assert.throws(() => encode(value, APPROVE), /1 decisions do not match .* with 4 requests/);
});

test('a request without a tool is an ordinary call', () => {
  for (const value of [asking({}), { ...SEARCH, action_request: { action: 'tool_execution' } }]) {
    assert.deepEqual(findProtocol(value).parse(value), [
      { tool: 'tool_execution', args: {}, decisions: ['approve', 'edit', 'reply', 'ignore'] },
    ]);
    assert.deepEqual(encode(value, IGNORE), [{ type: 'ignore', args: null }]);
  }
});

test('arguments that are not an object still belong to their tool, but cannot be edited', () => {
  const value = asking({ search: 'refunds', read: { path: 'a' } });
  assert.deepEqual(findProtocol(value).parse(value), [
    { tool: 'search', args: 'refunds', decisions: ['approve', 'reply', 'ignore'] },
    { tool: 'read', args: { path: 'a' }, decisions: ['approve', 'edit', 'reply', 'ignore'] },
  ]);
  assert.deepEqual(encode(value, APPROVE, edit({ path: 'b' })), [
    { type: 'edit', args: { args: { search: 'refunds', read: { path: 'b' } } } },
  ]);
});

test('names of built-in object properties can be names of tools', () => {
  const value = JSON.parse(
    JSON.stringify(asking('?')).replace('"?"', '{"__proto__":{"a":1},"constructor":{"b":2}}'),
  ) as JsonValue;
  const tools = findProtocol(value)
    .parse(value)
    ?.map(({ tool, args }) => [tool, args]);
  assert.deepEqual(tools, [
    ['__proto__', { a: 1 }],
    ['constructor', { b: 2 }],
  ]);
  assert.equal(
    JSON.stringify(encode(value, APPROVE, edit({ b: 3 }))),
    '[{"type":"edit","args":{"args":{"__proto__":{"a":1},"constructor":{"b":3}}}}]',
  );
});

const DECISION = fc.oneof(
  fc.constant(APPROVE),
  fc.constant(IGNORE),
  fc.string({ minLength: 1 }).map(reply),
  fc.dictionary(fc.string(), fc.integer()).map(edit),
);
const TOOLS = fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.integer()), { minKeys: 1 });

test('a graph is told to run tools only if all of a request are approved, and with the decided arguments', () => {
  fc.assert(
    fc.property(TOOLS, fc.array(DECISION, { minLength: 20, maxLength: 20 }), (tools, all) => {
      const value = asking(tools);
      const requests = findProtocol(value).parse(value) ?? [];
      const decisions = requests.map((_request, at) => all[at] ?? IGNORE);
      const [answer] = encode(value, ...decisions) as { type: string; args?: unknown }[];
      const approved = decisions.filter(({ kind }) => kind === 'approve' || kind === 'edit');
      const runs = answer?.type === 'accept' || answer?.type === 'edit';
      assert.equal(runs, approved.length === decisions.length);
      assert.equal(lost(value, ...decisions)?.length, runs ? 0 : approved.length);
      if (answer?.type !== 'edit') return;
      const decided = requests.map(({ tool, args }, at) => {
        const decision = decisions[at];
        return [tool, decision?.kind === 'edit' ? decision.args : args];
      });
      assert.deepEqual(answer.args, { args: Object.fromEntries(decided) });
    }),
    { numRuns: 1_000 },
  );
});
