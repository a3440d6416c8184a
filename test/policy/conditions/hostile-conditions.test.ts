/** Arguments that would keep a condition busy: each condition ends or is given up, and the process keeps working. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConditionLookups } from '../../../src/domain/policy/policy.ts';
import { createConditionCompiler } from '../../../src/policy/conditions/compile-condition.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';

/** CPU time, including the garbage collector. The machine may be busy with other processes. */
const MAX_CPU_MS = 90;
const SIZE = 256 * 1024;
const LETTERS = 'a'.repeat(SIZE);
const NOISE = Array.from({ length: SIZE }, (_, i) =>
  ((i * 2654435761) >>> 7) & 1 ? 'a' : 'b',
).join('');

const OUTSIDE: ConditionLookups = {
  emailOf: async () => '',
  groupsOf: async () => [],
  earlierArgs: async () => [],
};
const compile = createConditionCompiler();

// biome-ignore format: a row of the table is a line.
const HOSTILE: readonly (readonly [what: string, condition: string, args: object])[] = [
  ['letters for a pattern that others try in every way', 'args.x.matches("^(a+)+$")', { x: `${LETTERS}!` }],
  ['noise for a pattern with many states', 'args.x.matches("(a|b)*a(a|b){18}c?$")', { x: NOISE }],
  ['addresses', String.raw`args.x.matches(r"^(?:[\w.]+@[\w.]+)(?:,[\w.]+@[\w.]+)*$")`, { x: 'a@b.c,'.repeat(40_000) }],
  ['a pattern of its own with many states', 'args.x.matches(args.y)', { x: NOISE, y: '(a|b)*a(a|b){200}c?$' }],
  ['a pattern of its own that is slow to compile', 'args.x.matches(args.y)', { x: 'a', y: String.raw`[^\p{L}]`.repeat(20_000) }],
  ['a pattern of its own with many branches', 'args.x.matches(args.y)', { x: 'a', y: 'a|'.repeat(100_000) }],
  ['a list for loops in loops', 'args.l.all(x, args.l.all(y, args.l.all(z, x + y + z >= 0)))', { l: Array(2_000).fill(1) }],
  ['a list that is made larger', 'args.l.map(x, args.l).map(y, y + y) == []', { l: Array(3_000).fill(1) }],
  ['a text of many parts', 'args.x.split("").all(c, c != "é")', { x: LETTERS }],
  ['many texts for a pattern', 'args.l.exists(x, x.matches("(a|b)*c"))', { l: Array(50_000).fill('abababab') }],
  ['lists that are alike', 'args.x == args.y', { x: Array.from({ length: 30_000 }, (_, i) => [i]), y: Array.from({ length: 30_000 }, (_, i) => [i]) }],
  ['blanks', 'args.x.trim() == "a"', { x: ' '.repeat(SIZE) }],
  ['arguments that are nested deeply', 'args == args.x', { x: JSON.parse(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`) }],
];

/** The longest time that the process was busy without a pause, in CPU milliseconds. */
async function busiest(work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let isOver = false;
  let before = process.cpuUsage();
  const measure = () => {
    const { system, user } = process.cpuUsage(before);
    most = Math.max(most, (system + user) / 1_000);
    before = process.cpuUsage();
    if (!isOver) setImmediate(measure);
  };
  setImmediate(measure);
  await work();
  isOver = true;
  measure();
  return most;
}

describe('a condition ends or is given up quickly, whatever the arguments are', () => {
  for (const [what, condition, args] of HOSTILE) {
    it(what, async () => {
      const compiled = compile(condition);
      assert.ok(compiled.ok, compiled.ok ? '' : compiled.problem);
      const facts = { tool: 'pay', args, risk: 'low', channel: 'C1', thread: THREAD } as const;
      const answer = async () => {
        // Several rules may match one call.
        for (let i = 0; i < 3; i += 1) {
          const said = await compiled
            .condition({ ...facts, requester: REQUESTER }, OUTSIDE)
            .catch((error: Error) => error.message);
          assert.ok(
            typeof said === 'boolean' ||
              /It took longer than 40 ms\.|regular expression|nested too deeply/.test(said),
            String(said),
          );
        }
      };
      const ms = await busiest(answer);
      assert.ok(ms <= MAX_CPU_MS, `busy for ${ms} ms`);
    });
  }

  it('a pattern that was given up works for the next call', async () => {
    const compiled = compile('args.l.exists(x, x.matches("(a|b)*c$"))');
    assert.ok(compiled.ok);
    const answer = (l: readonly string[]) =>
      compiled.condition(
        {
          tool: 'pay',
          args: { l },
          risk: 'low',
          channel: 'C1',
          thread: THREAD,
          requester: REQUESTER,
        },
        OUTSIDE,
      );
    await assert.rejects(answer(Array(500_000).fill('abababab')), /It took longer/);
    assert.equal(await answer(['ababc']), true);
    assert.equal(await answer(['ababd']), false);
  });
});
