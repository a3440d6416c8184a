/**
 * Mutations of valid policy files. No file that is accepted may mean less than its text says: what is
 * written is counted here without any parser, and must be in what the loader has read.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readSource } from '../../src/policy/policy-source.ts';
import { readPolicy } from '../../src/policy/read-policy.ts';

/** RUNS=200000 for more than CI has time for. */
const RUNS = Number(process.env.RUNS ?? 1_500);

const VALID: readonly string[] = [
  `version: 1
onPolicyError: ask            # ask | run
routes:
  ops:
    channel: "#ops"           # where the card goes
    approvers: [usergroup:S0OPS, user:U0LEAD, requester, "@pat", '#oncall']
    quorum: 2
    deadline: 4h
    escalate: { after: 2h, to: requester }
    requireReason: true
rules:
  - tools: ["pay_*", refund]
    when: has(args.amount) && args.amount > 10000
    gate: ask
    route: ops
    risk: high
  # only research
  - { tools: [list_files, read_file], agent: "helper:research", gate: run }
default: { gate: ask, route: requester }
`,
  `version: 1
rules:
  - tools: [pay]
    when: '!args.external && args.amount < 100'
    gate: run
  - tools: [pay]
    when: args.to != "bob" || !(args.ok)
    gate: refuse
    reason: Only Bob is paid here.
`,
  `version: 1
rules:
  - tools:
      - run_command
      - 'shell_*'
    agent:
      - key:deploy-bot
      - "graph:*"
    when: |
      args.cmd.matches("^(rm|dd) ") &&
      !args.dry_run
    gate: refuse
    reason: >-
      These commands
      are not for programs.
  - tools: ["*"]
    when: >
      args.a * 2 > 1
      && args.b
    gate: ask
default:
  gate: refuse
  reason: "Nothing else."
`,
  `version: 1
slackMayLoosen: false
routes: { a: { approvers: ["@x"], quorum: 1 }, b: { approvers: [user:U1, user:U2], quorum: 2 } }
rules: [{ tools: [x], gate: ask, route: a }, { tools: [y], when: "args.n > 1 && !args.m", gate: ask, route: b }]
`,
];

// biome-ignore format: a list of tokens.
const TOKENS = ['!', '! ', '!x ', '!!str ', '&', '& ', '&a ', '*', '*a', '* ', '#', ' #', ' # ', '# ', '"', "'", "''", '\t', ' ', '  ', '\n', '\n  ', '\n    ', '\r', '\r\n', '\ufeff', '\u200b', '\u2028', '\u0085', '\u00a0', '\0', '-', '- ', ':', ': ', '{', '}', '[', ']', ',', ', ', '|', '>', '|-', '|+', '|2', '>-', '%', '@', '`', '? ', '<<: ', '//', ' // ', '\\', '\\b', '\\P', '\\_', '0x', '0', '.0', 'e0', '.inf', '~', '---\n', '\n---\n', '\n...\n', '%YAML 1.1\n---\n', 'é', '\u{1F600}', '&&', '||', '!=', '(', ')', 'when: ', 'gate: run', ', gate: run', '=', '+'];

type Edit = (text: string) => string;
const at = (text: string, place: number) => Math.floor(place * text.length);
const place = fc.double({ min: 0, max: 0.999999, noNaN: true });

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(place, fc.constantFrom(...TOKENS)).map(
      ([p, token]): Edit =>
        (text) =>
          `${text.slice(0, at(text, p))}${token}${text.slice(at(text, p))}`,
    ),
  },
  // Where values begin is where YAML has most to misread.
  {
    weight: 6,
    arbitrary: fc.tuple(place, fc.constantFrom(...TOKENS)).map(
      ([p, token]): Edit =>
        (text) =>
          insertAtValue(text, p, token),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(place, fc.integer({ min: 1, max: 4 })).map(
      ([p, length]): Edit =>
        (text) =>
          `${text.slice(0, at(text, p))}${text.slice(at(text, p) + length)}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(place, place).map(
      ([from, to]): Edit =>
        (text) =>
          moveLine(text, from, to, true),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(place, place).map(
      ([from, to]): Edit =>
        (text) =>
          moveLine(text, from, to, false),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(place, fc.constantFrom('  ', ' ', '\t')).map(
      ([p, indent]): Edit =>
        (text) =>
          changeLine(text, p, (line) => `${indent}${line}`),
    ),
  },
  {
    weight: 1,
    arbitrary: place.map(
      (p): Edit =>
        (text) =>
          changeLine(text, p, (line) => line.replace(/^ {1,2}/, '')),
    ),
  },
);

function insertAtValue(text: string, p: number, token: string): string {
  const starts = [...text.matchAll(/(?:[:,[-] +|^ +|["'])(?=\S)/gm)].map(
    ({ 0: before, index }) => index + before.length,
  );
  const start = starts[Math.floor(p * starts.length)] ?? 0;
  return `${text.slice(0, start)}${token}${text.slice(start)}`;
}

function moveLine(text: string, from: number, to: number, isCopy: boolean): string {
  const lines = text.split('\n');
  const index = Math.floor(from * lines.length);
  const line = lines[index] ?? '';
  if (!isCopy) lines.splice(index, 1);
  lines.splice(Math.floor(to * lines.length), 0, line);
  return lines.join('\n');
}

function changeLine(text: string, p: number, change: (line: string) => string): string {
  const lines = text.split('\n');
  const index = Math.floor(p * lines.length);
  lines[index] = change(lines[index] ?? '');
  return lines.join('\n');
}

/** What is written, without what YAML needs to tell values apart, and without plain comments. */
function written(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => (/^\s*#/.test(line) ? '' : line))
    .map((line) => (/\breason:/.test(line) ? line : line.replace(/\s#+(?:\s.*)?$/, '')))
    .map((line) => line.replace(/:\s*[|>](?:[+-]?\d?|\d[+-])\s*$/, ':').replace(/^\s*\?\s/, ''))
    .map((line) =>
      line
        .replace(/^(?:---|\.\.\.)\s*$/, '')
        .replace(/(?<=[:,{[]\s*)(?:~|null)(?=\s*(?:[,}\]]|$))/g, ''),
    )
    .map((line) => line.replace(/\\(?:[nt]|x..|u....|U........)/g, ''))
    .join('\n');
}

/** Keys and values one after the other. */
function read(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(read).join('\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}\n${read(each)}`)
    .join('\n');
}

/** How often each character stands there that is no layout. */
function count(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const character of text) {
    if (/[\s:,\-[\]{}"'\\]/.test(character)) continue;
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return counts;
}

/** What is written and not read; empty where nothing is lost. */
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

/** Compares what the policy holds with the file's values, key by key; false where the file is refused. */
function assertWhole(text: string): boolean {
  const loaded = readPolicy(text);
  if (!loaded.ok) return false;
  const source = readSource(text);
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
  it('that is valid is read whole', () => {
    for (const text of VALID) {
      assert.ok(assertWhole(text));
    }
  });

  it('that is mutated is refused, or read whole', () => {
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
      accepted > RUNS / 50,
      `Only ${accepted} mutations were accepted: they show too little.`,
    );
  });
});
