/** CEL that is not supported is refused when a policy is read, at its place. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConditionCompiler } from '../../../src/policy/conditions/compile-condition.ts';

const compile = createConditionCompiler();

/** Condition, and the position and message of the problem. */
// biome-ignore format: a row of the table is a line.
const REFUSED: readonly (readonly [condition: string, at: number, problem: RegExp])[] = [
  ['args.x == 5u', 10, /write 5 for 5u/],
  ['args.x == b"x"', 10, /"x" for b"x"/],
  ['9223372036854775808 > args.x', 0, /too large/],
  ['-9223372036854775809 < args.x', 1, /too large/],
  ['args.x == 1e999', 10, /Invalid number/],
  ['uint(args.x) > 5', 0, /“uint” is not supported here. Known: size, int, double/],
  ['bytes(args.x) == args.x', 0, /“bytes” is not supported/],
  ['type(args.x) == int', 0, /“type” is not supported/],
  ['timestamp(args.t) > timestamp("2026-01-01T00:00:00Z")', 0, /“timestamp” is not supported/],
  ['duration(args.t) > duration("1h")', 0, /“duration” is not supported/],
  ['args.t.getFullYear() == 2026', 0, /“getFullYear” is not supported/],
  ['args.x.lastIndexOf("a") == 1', 0, /“lastIndexOf” is not supported/],
  ['args.x.format([1]) == "1"', 0, /“format” is not supported/],
  ['args.x.split(",", 2) == []', 0, /no matching overload for “split” with 2 arguments/],
  ['cel.bind(x, 1, x == 1)', 0, /“bind” is not supported/],
  ['args.l.all(i, x, x > i)', 0, /“all” with 3 arguments/],
  ['args.l.all(args, true)', 0, /“args” is taken/],
  ['args.l.all(1, true)', 11, /invalid predicate iteration variable/],
  ['math.abs(args.x) > 1', 0, /Unknown variable: math|“abs” is not/],
  ['google.protobuf.Timestamp == 1', 0, /Unknown variable: google/],
  ['args.?x == 1', 5, /Expected IDENTIFIER/],
  ['args["x"] in requester', 13, /Choose a field of the requester/],
  ['has(requester.nickname)', 14, /No such key: nickname/],
  ['has(args)', 4, /has\(\)/],
  ['has(args["x"])', 4, /has\(\)/],
  ['1 < args.x < 5', 0, /can’t be chained|no such overload/],
  ['args.x in args.y in args.z', 0, /can’t be chained/],
  ['{1: "a"}[args.x] == "a"', 0, /keys of a map must be strings/],
  ['{"a": 1, "a": 2}.a == 2', 0, /appears twice/],
  [String.raw`args.x == r"\""`, 10, /a quote can’t follow a backslash/],
  ['[].exists(x, x > 1)', 0, /unclear. Remove empty lists/],
  ['args.x // && args.y', 7, /comment/],
  ['args.x == "a', 10, /Unterminated/],
  [String.raw`args.x == "\d"`, 11, /Invalid escape sequence/],
  ['args.x = 1', 7, /Unexpected character/],
  ['args.x & args.y', 7, /Unexpected character/],
  ['args.x === 1', 9, /Unexpected/],
  ['args.x and args.y', 7, /Unexpected/],
  ['not args.x', 4, /Unexpected/],
  ['env == "prod"', 0, /Unknown variable: env/],
  ['let == 1', 0, /Reserved identifier/],
  ['args.c.matches("(?=rm)")', 16, /not a valid RE2 regular expression: invalid or unsupported Perl syntax, “\(\?=”/],
  ['args.c.matches("a(?!rm)")', 17, /RE2/],
  [String.raw`args.c.matches(r"(a)\1")`, 20, /RE2 regular expression: invalid escape sequence/],
  ['args.c.matches("(?<=a)b")', 16, /RE2/],
  ['args.c.matches("a{2000}")', 17, /RE2 regular expression: invalid repeat count/],
  [String.raw`args.c.matches("\bfoo")`, 15, /contains a backspace. Write r"\\b"/],
];

describe('an unsupported condition is refused at its place', () => {
  for (const [condition, at, problem] of REFUSED) {
    it(condition, () => {
      const compiled = compile(condition);
      assert.equal(compiled.ok, false);
      if (compiled.ok) return;
      assert.match(compiled.problem, problem);
      assert.equal(compiled.at, at, compiled.problem);
    });
  }
});
