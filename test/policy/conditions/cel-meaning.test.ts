/** What conditions mean by the CEL specification. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import type { ConditionLookups } from '../../../src/domain/policy/policy.ts';
import { createConditionCompiler } from '../../../src/policy/conditions/compile-condition.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';

const compile = createConditionCompiler();
const OUTSIDE: ConditionLookups = {
  emailOf: async () => 'riley@example.test',
  groupsOf: async () => ['S0OPS'],
  earlierArgs: async () => [],
};

/** `true`, `false`, or why it fails. */
async function answer(condition: string, args: unknown): Promise<string> {
  const compiled = compile(condition);
  if (!compiled.ok) return `refused at ${compiled.at}: ${compiled.problem}`;
  const facts = { tool: 'pay', args, risk: 'low', channel: 'C1', thread: THREAD } as const;
  try {
    return String(await compiled.condition({ ...facts, requester: REQUESTER }, OUTSIDE));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Row = readonly [condition: string, args: object, says: string];

// biome-ignore format: a row of the table is a line.
const MEANINGS: Readonly<Record<string, readonly Row[]>> = {
  'keys that objects of JavaScript have': [
    ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', 'then'].flatMap((key): readonly Row[] => {
      const own = JSON.parse(`{"env":"prod","${key}":1}`);
      return [
        ['args.env == "prod"', own, 'true'],
        ['args.deep.env == "prod"', { deep: own }, 'true'],
        ['args.list.exists(x, x.env == "prod")', { list: [own] }, 'true'],
        ['args.list[0].env == "prod" && args.list == args.list', { list: [own] }, 'true'],
        [`args["${key}"] == 1`, own, 'true'],
        [`"${key}" in args`, own, 'true'],
        [`"${key}" in args`, {}, 'false'],
        [`args.exists(k, k == "${key}") && size(args) == 2`, own, 'true'],
        [`args == {"env": "prod", "${key}": 1}`, own, 'true'],
        [`args == {"${key}": 1}`, {}, 'false'],
        [`args["${key}"] == 1`, {}, 'There is no such key or list index.'],
        ['args.x == 1', { x: 1, y: own }, 'true'],
      ];
    }),
    ['has(args.constructor)', {}, 'false'],
    ['has(args.toString)', { toString: null }, 'true'],
    ['args.constructor == 1', {}, 'No such key: constructor.'],
  ],
  'numbers': [
    ['args.list == [1, 2, 3]', { list: [1, 2, 3] }, 'true'],
    ['args.x in [1, 2]', { x: 2 }, 'true'],
    ['args.x == 1.0 && args.x == 1', { x: 1 }, 'true'],
    ['9007199254740993 == args.x', { x: 9007199254740992 }, 'false'],
    ['9007199254740993 > args.x', { x: 9007199254740992 }, 'true'],
    ['7 / 2 == 3 && 7 % -2 == 1 && -7 / 2 == -3', {}, 'true'],
    ['args.x / 2 == 3.5', { x: 7 }, 'true'],
    ['1 / args.n == 1', { n: 0 }, 'false'],
    ['1 / 0 == 1', {}, 'Division by zero.'],
    ['9223372036854775807 + 1 > 0', {}, 'A number is too large.'],
    ['-9223372036854775808 < 0', {}, 'true'],
    ['0x10 == 16 && 1e3 == 1000.0', {}, 'true'],
    ['args.x < true', { x: 1 }, 'no such overload: double < bool.'],
    ['args.x > 1', { x: '2' }, 'no such overload: string > int.'],
    ['args.x > 1', { x: null }, 'no such overload: null > int.'],
  ],
  'conversions': [
    ['int(args.x) <= 100', { x: '' }, 'A value can’t be read as a whole number.'],
    ['int(args.x) <= 100', { x: ' 5' }, 'A value can’t be read as a whole number.'],
    ['int(args.x) <= 100', { x: '0b11' }, 'A value can’t be read as a whole number.'],
    ['int(args.x) <= 100', { x: '0x10' }, 'A value can’t be read as a whole number.'],
    ['int(args.x) <= 100', { x: 1e300 }, 'A number is too large.'],
    ['int(args.x) == -2', { x: -2.9 }, 'true'],
    ['int(args.x) == 12', { x: '12' }, 'true'],
    ['double(args.x) < 1.0', { x: '0x10' }, 'A value can’t be read as a number.'],
    ['double(args.x) > 1000.0', { x: 'NaN' }, 'A value can’t be read as a number.'],
    ['double(args.x) > 1000.0', { x: '' }, 'A value can’t be read as a number.'],
    ['double(args.x) == 2500.0', { x: '2.5e3' }, 'true'],
    ['string(args.x) == "100"', { x: 100 }, 'true'],
    ['string(args.x) == "x"', { x: [] }, 'no such overload: string(list).'],
    ['bool(args.x)', { x: 'True' }, 'true'],
    ['bool(args.x)', { x: 'yes' }, 'A value can’t be read as true or false.'],
  ],
  'texts': [
    ['args.x.lowerAscii() == "k"', { x: '\u212a' }, 'false'],
    ['args.x.lowerAscii() == "prod"', { x: 'PrOd' }, 'true'],
    ['args.x.upperAscii() == "SS"', { x: 'ß' }, 'false'],
    ['args.x.trim() == "a"', { x: ' \u0085\u3000a\n' }, 'true'],
    ['args.x.trim() == "a"', { x: '\ufeffa' }, 'false'],
    ['size(args.x) == 1 && args.x.size() == 1', { x: '\u{1F600}' }, 'true'],
    ['args.x.substring(0, 1) == "\u{1F600}"', { x: '\u{1F600}b' }, 'true'],
    ['args.x.substring(1) == "b"', { x: '\u{1F600}b' }, 'true'],
    ['args.x.substring(3) == ""', { x: 'ab' }, 'A string has no such position.'],
    ['args.x.indexOf("b") == 1', { x: '\u{1F600}b' }, 'true'],
    ['args.x.indexOf("c") == -1', { x: '\u{1F600}b' }, 'true'],
    ['args.x.split("@")[1] == "example.test"', { x: 'a@example.test' }, 'true'],
    ['["a", "b"].join("-") == args.x', { x: 'a-b' }, 'true'],
    ['args.x < "\u{1F600}"', { x: '\ufffd' }, 'true'],
    ['args.x < "b" && "B" < args.x', { x: 'a' }, 'true'],
    ['args.x == "A\\u0041\\x41\\101\\U00000041"', { x: 'AAAA' + 'A' }, 'true'],
    ['args.x == r"\\d"', { x: '\\d' }, 'true'],
    ['args.x == """a"b"""', { x: 'a"b' }, 'true'],
    ['args.x.contains("")', { x: '' }, 'true'],
    ['args.x.startsWith("a")', { x: 5 }, 'a method of a text'],
  ],
  'equality': [
    ['args.x == 5', { x: '5' }, 'false'],
    ['args.x != "5"', { x: 5 }, 'true'],
    ['args.x == null', { x: 0 }, 'false'],
    ['args.x == args.y', { x: { a: 1, b: [1, 'c'] }, y: { b: [1, 'c'], a: 1 } }, 'true'],
    ['args.x == args.y', { x: { a: 1 }, y: { a: 1, b: null } }, 'false'],
    ['args.x == args.y', { x: [1, 'a'], y: ['a', 1] }, 'false'],
    ['"b" in args.x && !("c" in args.x)', { x: [1, null, 'b'] }, 'true'],
    ['args.x in "abc"', { x: 'a' }, 'refused at 0'],
    ['args.x in args.y', { x: 'a', y: 'abc' }, 'no such overload: string in string.'],
    ['args.x in {"a": 1}', { x: 'a' }, 'true'],
    ['{"EUR": 100, "USD": 120}[args.c] < 110', { c: 'EUR' }, 'true'],
  ],
  'fields and places': [
    ['args.a.b == 1', {}, 'No such key: a.'],
    ['args.a.b == 1', { a: 5 }, 'No such key: b.'],
    ['has(args.a)', { a: null }, 'true'],
    ['has(args.a.b)', { a: {} }, 'false'],
    ['has(args.a.b)', {}, 'No such key: a.'],
    ['has(args.a.b)', { a: 'x' }, 'no such overload: has() of string.'],
    ['has(args.a) && args.a.b == 1', {}, 'false'],
    ['args.l[0] == 1 && args.l[args.i] == 2', { l: [1, 2], i: 1 }, 'true'],
    ['args.l[2] == 1', { l: [1, 2] }, 'There is no such key or list index.'],
    ['args.l[-1] == 2', { l: [1, 2] }, 'There is no such key or list index.'],
    ['args.l[args.i] == 1', { l: [1], i: 0.5 }, 'There is no such key or list index.'],
    ['args.l["length"] == 2', { l: [1, 2] }, 'no such overload: list[string].'],
    ['args.s[0] == "a"', { s: 'a' }, 'no such overload: string[int].'],
    ['args.s.length == 1', { s: 'a' }, 'No such key: length.'],
  ],
  'logic': [
    ['args.a || true', {}, 'true'],
    ['true || args.a', {}, 'true'],
    ['args.a && false', {}, 'false'],
    ['args.a || false', {}, 'No such key: a.'],
    ['args.a && true', { a: 'x' }, 'no such overload: string as a condition.'],
    ['!args.a', { a: 0 }, 'no such overload: double as a condition.'],
    ['args.a ? true : false', { a: 1 }, 'no such overload: double as a condition.'],
    ['args.a ? args.b : args.c.d', { a: true, b: true }, 'true'],
    ['requester.email == "riley@example.test" || "S0OPS" in requester.groups', {}, 'true'],
  ],
  'macros': [
    ['args.m.exists(k, k == "x" && args.m[k] == 1)', { m: { x: 1 } }, 'true'],
    ['args.m.all(k, k.startsWith("a"))', { m: { ab: 1, ac: 2 } }, 'true'],
    ['args.l.all(x, x.a > 0)', { l: [] }, 'true'],
    ['args.l.all(x, x.a > 0)', { l: [{ a: 0 }, {}] }, 'false'],
    ['args.l.all(x, x.a > 0)', { l: [{ a: 1 }, {}] }, 'No such key: a.'],
    ['args.l.exists(x, x.a > 0)', { l: [{}, { a: 1 }] }, 'true'],
    ['args.l.exists(x, x.a > 0)', { l: [{}, { a: 0 }] }, 'No such key: a.'],
    ['args.l.exists(x, x)', { l: [0] }, 'no such overload: double as a condition.'],
    ['args.l.exists_one(x, x > 1)', { l: [1, 2, 3] }, 'false'],
    ['args.l.exists_one(x, x.a > 1)', { l: [{ a: 2 }, {}] }, 'No such key: a.'],
    ['args.l.filter(x, x > 1).map(y, y * 2) == [4, 6]', { l: [1, 2, 3] }, 'true'],
    ['args.l.map(x, x > 1, x + 1) == [3, 4]', { l: [1, 2, 3] }, 'true'],
    ['args.l.all(x, args.l.all(y, x == y))', { l: [1, 1] }, 'true'],
    ['args.s.all(x, true)', { s: 'abc' }, 'no such overload: a macro on string.'],
  ],
  'patterns of RE2': [
    [String.raw`args.c.matches(r"\A(rm|dd) ")`, { c: 'rm -rf /' }, 'true'],
    [String.raw`args.c.matches(r"\A(rm|dd) ")`, { c: 'A rm x' }, 'false'],
    ['args.c.matches("^[[:alnum:]_]+[.]pem$")', { c: 'key_1.pem' }, 'true'],
    ['args.c.matches("(?i)RM")', { c: 'xrm' }, 'true'],
    ['args.c.matches("(?P<n>r)m")', { c: 'rm' }, 'true'],
    [String.raw`args.c.matches(r"a\z")`, { c: 'a\n' }, 'false'],
    [String.raw`args.c.matches(r"^\d$")`, { c: '\u0665' }, 'false'],
    [String.raw`args.c.matches(r"\pN")`, { c: '\u0665' }, 'true'],
    ['args.c.matches("^.$")', { c: '\u{1F600}' }, 'true'],
    ['args.c.matches("(?s)a.b")', { c: 'a\nb' }, 'true'],
    [String.raw`args.c.matches(r"\Qa.b\E")`, { c: 'a.b' }, 'true'],
    ['args.c.matches(args.p)', { c: 'rm', p: '(?i)R' }, 'true'],
    ['args.c.matches(args.p)', { c: 'rm', p: '(?=r)' }, 'A string is not a valid regular expression.'],
    ['args.c.matches(args.p)', { c: 'rm', p: 5 }, 'a method of a text'],
  ],
};

for (const [about, rows] of Object.entries(MEANINGS)) {
  describe(about, () => {
    for (const [condition, args, says] of rows) {
      it(`${condition} of ${JSON.stringify(args)}: ${says}`, async () => {
        const said = await answer(condition, args);
        assert.ok(['true', 'false'].includes(says) ? said === says : said.includes(says), said);
      });
    }
  });
}

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>;
const key = fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__', 'toString', 'env'));

it('other arguments never change the result of a condition on a field', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(key, json, { noNullPrototype: false }),
      json,
      async (more, value) => {
        const args = { ...more, env: value };
        assert.equal(await answer('args.env == "prod"', args), String(value === 'prod'));
        assert.equal(
          await answer('args.l.exists(x, x.env == "prod")', { l: [args] }),
          String(value === 'prod'),
        );
        assert.equal(await answer('args == args && args.env == args.env', args), 'true');
      },
    ),
    { numRuns: 500 },
  );
});

it('JSON values are equal if their canonical JSON is equal', async () => {
  await fc.assert(
    fc.asyncProperty(json, json, async (a, b) => {
      const isSame = canonicalJson(a as JsonValue) === canonicalJson(b as JsonValue);
      assert.equal(await answer('args.a == args.b', { a, b }), String(isSame));
      assert.equal(await answer('args.b != args.a', { a, b }), String(!isSame));
      assert.equal(await answer('args.a == args.b', { a, b: shuffle(a) }), 'true');
    }),
    { numRuns: 500 },
  );
});

function shuffle(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffle);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, each]) => [name, shuffle(each)]));
}
