import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { parseArgs } from '../../../../src/agent/tools/schema/parse-args.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';

type Schema = Parameters<typeof parseArgs>[0];

function problems(schema: Schema, value: JsonValue) {
  const parsed = parseArgs(schema, value);
  return parsed.ok ? [] : parsed.problems.map(({ path, message }) => [path.join('.'), message]);
}

const BOTH: readonly (readonly [string, Schema])[] = [
  [
    'zod 4',
    z.object({
      to: z.union([
        z.object({ id: z.number(), at: z.union([z.number(), z.boolean()]) }),
        z.object({ name: z.string() }),
      ]),
    }),
  ],
  [
    'zod 3',
    z3.object({
      to: z3.union([
        z3.object({ id: z3.number(), at: z3.union([z3.number(), z3.boolean()]) }),
        z3.object({ name: z3.string() }),
      ]),
    }),
  ],
];

for (const [which, schema] of BOTH) {
  test(`${which}: a value that fits no branch is compared with the nearest one, at any depth`, () => {
    const [[path, message = ''] = []] = problems(schema, { to: { id: 'x', at: 1 } });
    assert.equal(path, 'to.id');
    assert.match(message, /expected number/i);
    assert.deepEqual(problems(schema, { to: { name: 1 } })[0]?.[0], 'to.name');
  });

  test(`${which}: if no branch is nearest, the message lists what each one expects`, () => {
    const [[path, message = ''] = []] = problems(schema, { to: { id: 1, at: 'x' } });
    assert.equal(path, 'to.at');
    assert.match(message, /none of the alternatives\. .*number.*; .*boolean/i);
  });
}

test('a wrong value is nearer than another branch’s fixed value', () => {
  const schema = z.object({
    by: z.union([
      z.object({ kind: z.literal('a'), n: z.number(), m: z.number() }),
      z.object({ kind: z.literal('b'), n: z.string() }),
    ]),
  });
  const found = problems(schema, { by: { kind: 'a', n: 'x', m: 'y' } });
  assert.deepEqual(
    found.map(([path]) => path),
    ['by.n', 'by.m'],
  );
});
