/**
 * Mutations of valid policy files. No file that is accepted may mean less than its text says: what is
 * written is counted here without any parser, and must be in what the loader has read.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePolicySource } from '../../../src/policy/file/policy-source.ts';
import { readPolicy } from '../../../src/policy/file/read-policy.ts';
import { edit, VALID } from './policy-mutations.ts';

/** Use RUNS=200000 for a longer run than in CI. */
const RUNS = Number(process.env.RUNS ?? 1_500);

/** The written text without quoting, layout and plain comments. */
function written(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => (/^\s*#/.test(line) ? '' : line))
    .map((line) => (/\breason: *[^"' #]/.test(line) ? line : line.replace(/\s#+(?:\s.*)?$/, '')))
    .map((line) => line.replace(/:\s*[|>](?:[+-]?\d?|\d[+-])\s*$/, ':').replace(/^\s*\?\s/, ''))
    .map((line) =>
      line
        .replace(/^(?:---|\.\.\.)\s*$/, '')
        .replace(/(?<=[:,{[]\s*)(?:~|null)(?=\s*(?:[,}\]]|$))/g, ''),
    )
    .map((line) => line.replace(/\\(?:[nt]|x..|u....|U........)/g, ''))
    .join('\n');
}

/** Keys and values in order. */
function read(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(read).join('\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}\n${read(each)}`)
    .join('\n');
}

/** The number of each character, except for layout. */
function count(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const character of text) {
    if (/[\s:,\-[\]{}"'\\]/.test(character)) continue;
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return counts;
}

/** What is written but not read; empty if nothing is lost. */
function lost(text: string, value: unknown): string {
  const known = count(read(value));
  return [...count(written(text))]
    .filter(([character, times]) => times > (known.get(character) ?? 0))
    .map(([character]) => character)
    .join('');
}

interface RawRule {
  readonly tools: readonly string[];
  readonly agent?: string | readonly string[];
  readonly when?: string;
  readonly gate: string;
  readonly route?: string;
  readonly risk?: string;
  readonly reason?: string;
}
interface Raw {
  readonly rules?: readonly RawRule[] | null;
  readonly routes?: Readonly<
    Record<string, { readonly approvers: readonly string[]; readonly quorum?: number }>
  > | null;
}

/** Compares the policy with the file's values, key by key; false if the file is refused. */
function assertWhole(text: string): boolean {
  const loaded = readPolicy(text);
  if (!loaded.ok) return false;
  const source = parsePolicySource(text);
  assert.ok(source.ok);
  const raw = source.source.value as Raw;
  assert.equal(lost(text, raw), '', `lost:\n${text}`);
  const { policy, routes } = loaded.file;
  const rules = raw.rules ?? [];
  assert.equal(policy.rules.length, rules.length);
  for (const [index, rule] of policy.rules.entries()) {
    const from = rules[index];
    assert.ok(from);
    assert.deepEqual(rule.tools, from.tools);
    assert.equal(rule.when, from.when);
    assert.equal(rule.condition !== undefined, from.when !== undefined);
    const agents = rule.agents?.map((each: unknown) =>
      typeof each === 'string' ? each : (each as { text: string }).text,
    );
    assert.deepEqual(agents, from.agent === undefined ? undefined : [from.agent].flat());
    const { ruling } = rule;
    assert.equal(ruling.gate, from.gate);
    if (ruling.gate === 'refuse') assert.equal(ruling.reason, from.reason);
    if (ruling.gate === 'ask' && from.route !== undefined) assert.equal(ruling.route, from.route);
    if (ruling.gate === 'ask') assert.equal(ruling.risk, from.risk);
  }
  assert.deepEqual([...routes.keys()], Object.keys(raw.routes ?? {}));
  for (const [name, route] of routes) {
    const from = raw.routes?.[name];
    assert.deepEqual(new Set(route.approvers), new Set(from?.approvers));
    assert.equal(route.quorum, from?.quorum ?? 1);
  }
  return true;
}

describe('a policy file', () => {
  it('that is valid is read completely', () => {
    for (const text of VALID) {
      assert.ok(assertWhole(text));
    }
  });

  it('that is mutated is refused, or read completely', () => {
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...VALID),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        (valid, edits) => {
          const text = edits.reduce((whole, change) => change(whole), valid);
          const isRead = assertWhole(text);
          if (isRead && text !== valid) accepted += 1;
        },
      ),
      { numRuns: RUNS },
    );
    assert.ok(
      accepted > RUNS / 20,
      `Only ${accepted} mutations were accepted: they show too little.`,
    );
  });
});
