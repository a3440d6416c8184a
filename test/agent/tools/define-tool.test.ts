import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { defineTool, type ToolDefinition } from '../../../src/agent/tools/define-tool.ts';
import type { JsonValue } from '../../../src/domain/json/json.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { NO_SIGNAL, THREAD } from '../agent-fixture.ts';

const CONTEXT = {
  signal: NO_SIGNAL,
  callId: 'call_k',
  idempotencyKey: 'k',
  report: () => {},
  requester: { team: 'T1', user: 'U1' },
  thread: THREAD,
};

function toolOf<Schema extends z.ZodType>(
  schema: Schema,
  patch: Partial<ToolDefinition<Schema>> = {},
): Tool {
  const made = defineTool({ name: 'x', description: 'X.', schema, run: () => 'ok', ...patch });
  assert.ok(made.kind === 'tool', made.kind === 'left-out' ? made.reason : '');
  return made.tool;
}

function problemsOf(tool: Tool, value: JsonValue) {
  const parsed = tool.parse(value);
  assert.ok(!parsed.ok, 'it was accepted');
  return parsed.problems;
}

test('arguments are the schema’s output: defaults filled in, unknown keys removed, keys sorted', () => {
  const tool = toolOf(z.object({ b: z.string().trim(), a: z.number().default(10_000) }));
  assert.deepEqual(tool.parse({ z: 1, b: ' hi ' }), {
    ok: true,
    value: { a: 10_000, b: 'hi' },
    canonical: '{"a":10000,"b":"hi"}',
  });
});

test('parsed arguments share no objects with the input', () => {
  const tool = toolOf(z.object({ list: z.array(z.any()) }));
  const given = { list: [{ to: 'a@x' }] };
  const parsed = tool.parse(given);
  (given.list[0] ?? { to: '' }).to = 'b@x';
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value, { list: [{ to: 'a@x' }] });
});

test('a tool that changes its arguments does not affect the policy, the card or the run', async () => {
  const mutate = (args: unknown) => {
    Object.assign((args as { meta: object }).meta, { amount: 1 });
    return 'ok';
  };
  const tool = toolOf(z.object({ meta: z.any() }), { run: mutate, preview: mutate });
  const parsed = tool.parse({ meta: { amount: 1_000 } });
  assert.ok(parsed.ok);
  await tool.preview?.(parsed.value);
  await tool.run(parsed.value, CONTEXT);
  assert.deepEqual(parsed.value, { meta: { amount: 1_000 } });
});

test('a problem has the path of its argument', () => {
  const tool = toolOf(
    z.object({ to: z.array(z.object({ email: z.email('No e-mail address.') })) }),
  );
  assert.deepEqual(problemsOf(tool, { to: [{ email: 'a@x.org' }, { email: 'nope' }] }), [
    { path: ['to', 1, 'email'], message: 'No e-mail address.' },
  ]);
  const crossed = z
    .object({ from: z.int(), to: z.int() })
    .refine(({ from, to }) => from < to, 'Wrong way round.');
  assert.deepEqual(problemsOf(toolOf(crossed), { from: 2, to: 1 }), [
    { path: [], message: 'Wrong way round.' },
  ]);
});

test('a value is refused if the schema parses its own output differently', () => {
  let reads = 0;
  const unsteady = z.object({ at: z.string().default(() => `t${reads++}`), n: z.any() });
  assert.ok(toolOf(unsteady).parse({ n: 1 }).ok);
  const growing = z.object({ text: z.string().overwrite((text) => `${text}!`) });
  assert.match(
    problemsOf(toolOf(growing), { text: 'a' })[0]?.message ?? '',
    /a different result when it parses these arguments again/,
  );
});

test('values that JSON would drop or change are a problem at their place', () => {
  const tool = toolOf(z.object({ any: z.any() }));
  const date = toolOf(z.object({ any: z.any().default(() => new Date(0)) }));
  assert.deepEqual(problemsOf(date, {})[0]?.path, ['any']);
  assert.match(problemsOf(tool, { any: ['\ud800'] })[0]?.message ?? '', /surrogate/);
  assert.deepEqual(problemsOf(tool, { any: ['\ud800'] })[0]?.path, ['any', 0]);
  const proto: JsonValue = JSON.parse('{"any":{"__proto__":{"admin":true}}}');
  assert.match(problemsOf(tool, proto)[0]?.message ?? '', /__proto__/);
  const infinite = toolOf(z.object({ n: z.any().default(Number.POSITIVE_INFINITY) }));
  assert.match(problemsOf(infinite, {})[0]?.message ?? '', /not a valid JSON number/);
});

test('an async schema is a problem, not a crash', () => {
  const schema = z.object({ a: z.string().refine(async () => true) });
  assert.match(problemsOf(toolOf(schema), { a: '' })[0]?.message ?? '', /could not parse/);
});

test('parsing the output again gives the same text', () => {
  const schema = z.object({
    a: z.string().optional(),
    n: z.number().default(3),
    list: z.array(z.union([z.string(), z.number(), z.null()])).default([]),
    more: z.record(z.string(), z.boolean()).optional(),
  });
  const tool = toolOf(schema);
  const value = fc.record(
    {
      a: fc.string(),
      n: fc.double({ noNaN: true, noDefaultInfinity: true }),
      list: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
      more: fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        fc.boolean(),
      ),
      extra: fc.jsonValue() as fc.Arbitrary<JsonValue>,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(value, (given) => {
      const first = tool.parse(given as JsonValue);
      assert.ok(first.ok);
      assert.deepEqual(tool.parse(first.value), first);
      assert.deepEqual(JSON.parse(first.canonical), first.value);
    }),
  );
});

const LEFT_OUT: readonly (readonly [string, unknown, RegExp])[] = [
  ['a transform', z.object({ a: z.string().transform(Number) }), /transforms/],
  [
    'a hidden transform',
    z.object({ a: z.string().transform(Number).pipe(z.number()) }),
    /transforms/,
  ],
  ['preprocess', z.object({ a: z.preprocess(String, z.string()) }), /transforms/],
  [
    'a transform in a list',
    z.object({ a: z.array(z.string().transform(Number)).optional() }),
    /transforms/,
  ],
  ['a transformed object', z.object({ a: z.string() }).transform(({ a }) => a), /transforms/],
  ['a codec', z.object({ a: z.stringbool() }), /transforms/],
  ['a date', z.object({ a: z.date() }), /[Dd]ate/],
  ['a bigint', z.object({ a: z.bigint() }), /[Bb]ig[Ii]nt/],
  ['a map', z.object({ a: z.map(z.string(), z.string()) }), /[Mm]ap/],
  ['a file', z.object({ a: z.file() }), /files/],
  ['a custom type', z.object({ a: z.custom() }), /[Cc]ustom/],
  ['text at its root', z.string(), /accepts no object/],
  ['a transform of zod 3', z3.object({ a: z3.string().transform(Number) }), /transforms/],
  ['preprocess of zod 3', z3.object({ a: z3.preprocess(String, z3.string()) }), /transforms/],
  [
    'a hidden transform of zod 3',
    z3.object({ a: z3.record(z3.tuple([z3.string().transform(Number).pipe(z3.number())])) }),
    /transforms/,
  ],
  [
    'a zod 3 date in a lazy union',
    z3.object({
      a: z3.lazy(() => z3.discriminatedUnion('k', [z3.object({ k: z3.literal(1), d: z3.date() })])),
    }),
    /dates/,
  ],
  ['a bigint of zod 3', z3.object({ a: z3.bigint().optional() }), /bigints/],
  ['a map of zod 3', z3.object({ a: z3.map(z3.string(), z3.string()) }), /maps/],
  ['zod 3 text at its root', z3.string(), /accepts no object/],
  ['only a list at its root', z.union([z.array(z.string()), z.null()]), /accepts no object/],
  ['unknown methods', { safeParse: () => ({}), _def: {} }, /zod 4 or zod 3/],
];

for (const [what, schema, reason] of LEFT_OUT) {
  test(`a schema with ${what} is left out with the reason`, () => {
    const made = defineTool({
      name: 'odd',
      description: 'Odd.',
      schema: schema as z.ZodType,
      run: () => 'ok',
    });
    assert.equal(made.kind, 'left-out');
    assert.ok(made.kind === 'left-out' && made.name === 'odd');
    assert.match(made.reason, reason);
  });
}

test('a zod 3 tool works like any other', async () => {
  interface Tree {
    name: string;
    children: Tree[];
  }
  const tree: z3.ZodType<Tree> = z3.lazy(() =>
    z3.object({ name: z3.string(), children: z3.array(tree) }),
  );
  const schema = z3
    .object({
      to: z3.string().email('No e-mail address.'),
      n: z3.number().int().default(3),
      kind: z3.enum(['a', 'b']).nullable().describe('Which.'),
      tree: tree.optional(),
    })
    .refine(({ n }) => n !== 4, { message: 'Not four.', path: ['n'] });
  const made = defineTool({
    name: 'old',
    description: 'Old.',
    schema,
    run: ({ n, to }) => `${to} ${n}`,
  });
  assert.ok(made.kind === 'tool', made.kind === 'left-out' ? made.reason : '');
  const { tool } = made;
  assert.deepEqual(tool.schema.required, ['to', 'kind']);
  const { properties } = JSON.parse(JSON.stringify(tool.schema));
  assert.deepEqual(properties.kind, {
    anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }],
    description: 'Which.',
  });
  assert.deepEqual(properties.tree.properties.children.items, { $ref: '#/properties/tree' });
  const parsed = tool.parse({ to: 'a@x.org', kind: null, more: 1 });
  assert.deepEqual(parsed.ok && parsed.canonical, '{"kind":null,"n":3,"to":"a@x.org"}');
  assert.deepEqual(
    problemsOf(tool, { to: 'a', n: 4, kind: 'c' }).map(({ path }) => path),
    [['to'], ['kind']],
  );
  assert.deepEqual(problemsOf(tool, { to: 'a@x.org', n: 4, kind: 'a' }), [
    { path: ['n'], message: 'Not four.' },
  ]);
  assert.equal(await tool.run({ to: 'a@x.org', kind: null, n: 3 }, CONTEXT), 'a@x.org 3');
});

test('pipes and checks that keep the value are allowed, unlike transforms', () => {
  toolOf(
    z.object({ a: z.string().pipe(z.email()), b: z.string().toLowerCase(), c: z.iso.datetime() }),
  );
});

test('the offered schema is the input side: fields with a default are optional', () => {
  const tool = toolOf(z.object({ a: z.string(), n: z.number().default(1) }));
  assert.deepEqual(tool.schema.required, ['a']);
  assert.equal(tool.schema.$schema, undefined);
  assert.match(tool.schemaHash, /^[0-9a-f]{64}$/);
  assert.equal(
    toolOf(z.object({ a: z.string(), n: z.number().default(1) })).schemaHash,
    tool.schemaHash,
  );
  assert.notEqual(toolOf(z.object({ a: z.string() })).schemaHash, tool.schemaHash);
});

test('by default, a tool is not idempotent and has medium risk', () => {
  const { idempotent, risk, secrets, preview } = toolOf(z.object({}));
  assert.deepEqual(
    { idempotent, risk, secrets, preview },
    { idempotent: false, risk: 'medium', secrets: [], preview: undefined },
  );
});

test('a run gets typed arguments and its context; a result that is not text becomes JSON', async () => {
  const seen: unknown[] = [];
  const tool = toolOf(z.object({ n: z.number() }), {
    run: (args, { idempotencyKey }) => {
      seen.push(args, idempotencyKey);
      return { done: args.n };
    },
  });
  assert.equal(await tool.run({ n: 1 }, CONTEXT), '{\n  "done": 1\n}');
  assert.deepEqual(seen, [{ n: 1 }, 'k']);
  assert.equal(await toolOf(z.object({}), { run: () => undefined }).run({}, CONTEXT), '');
});

test('a preview that fails says so, and never rejects', async () => {
  const tool = toolOf(z.object({}), {
    preview: () => {
      throw new Error('There is no such file.');
    },
  });
  assert.equal(
    (await tool.preview?.({}))?.text,
    'As things stand, this would fail: There is no such file.',
  );
});
