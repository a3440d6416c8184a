/** Valid but probably unintended: fields that no tool has, rules that no call reaches, approvals that never count. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Schema } from '../../../src/policy/conditions/find-unknown-fields.ts';
import { readPolicy } from '../../../src/policy/file/read-policy.ts';

const PERSON = { type: 'object', properties: { name: { type: 'string' } } };
const LINE = { type: 'object', properties: { price: { type: 'number' } } };

const SCHEMAS: Readonly<Record<string, Schema>> = {
  write_file: { type: 'object', properties: { path: { type: 'string' }, content: {} } },
  read_file: { type: 'object', properties: { path: { type: 'string' } } },
  pay: {
    type: 'object',
    properties: {
      amount: { type: 'number' },
      iban: { type: 'string' },
      to: { $ref: '#/$defs/person' },
      lines: { type: 'array', items: LINE },
      notes: { type: 'object', additionalProperties: { type: 'string' } },
    },
    $defs: { person: PERSON },
  },
  send: {
    anyOf: [
      { type: 'object', properties: { mail: { type: 'string' } } },
      { type: 'object', properties: { phone: { type: 'string' } } },
    ],
  },
  open: { type: 'object' },
};

function warningsOf(text: string): readonly string[] {
  const known = {
    tools: Object.keys(SCHEMAS),
    schemaOf: (tool: string) => SCHEMAS[tool],
    agents: [],
  };
  const read = readPolicy(`version: 1\n${text}\n`, known);
  assert.ok(read.ok, JSON.stringify(read));
  return read.file.warnings.map(({ column, line, message, source }) => {
    const mark = source.slice(column - 1);
    return `${line}: ${message} ^ ${mark}`;
  });
}

function assertWarned(
  text: string,
  expected: readonly (readonly [message: string, mark: string])[],
) {
  const found = warningsOf(text);
  assert.equal(found.length, expected.length, found.join('\n'));
  for (const [index, [message, mark]] of expected.entries()) {
    const [said = '', at = ''] = found[index]?.replace(/^\d+: /, '').split(' ^ ') ?? [];
    assert.ok(said.startsWith(message), `${said}\nbegins not with\n${message}`);
    assert.ok(at.startsWith(mark), `${at}\nbegins not with\n${mark}`);
  }
}

/** The tools of a rule, its condition, the warning, and the text that the mark is under. */
// biome-ignore format: a row of the table is a line.
const FIELDS: readonly (readonly [tools: string, when: string, said?: string, mark?: string])[] = [
  ['pay', 'args.amuont > 3', '“pay” has no argument “amuont”. Did you mean “amount”?', 'amuont'],
  ['pay', 'args["amuont"] > 3', '“pay” has no argument “amuont”. Did you mean', '"amuont"'],
  ['pay', 'has(args.amuont) && args.amuont > 3', '“pay” has no argument “amuont”. Did you mean', 'amuont) &&'],
  ['pay', '"ibn" in args', '“pay” has no argument “ibn”. Did you mean “iban”?', '"ibn"'],
  ['pay', 'spent("amuont", "24h") > 3.0', '“pay” has no argument “amuont”. Did you mean', '"amuont"'],
  ['pay', 'args.to.nmae == "x"', '“pay” has no argument “to.nmae”. Did you mean “name”?', 'nmae'],
  ['pay', 'args.lines[0].prise > 3', '“pay” has no argument “lines.prise”. Did you mean “price”?', 'prise'],
  ['pay', 'args.lines.exists(x, x.prise > 3)', '“pay” has no argument “lines.prise”. Did you mean', 'prise'],
  ['pay', 'args.colour == "red"', '“pay” has no argument “colour”. Known: amount, iban, to, lines, notes.', 'colour'],
  ['"pay*"', 'args.amuont > 3', 'No tool of this rule has an argument “amuont”. Did you mean “amount”?', 'amuont'],
  ['send', 'args.pone == "1"', '“send” has no argument “pone”. Did you mean “phone”?', 'pone'],
  ['read_file, write_file', 'args.contnet == ""', 'No tool of this rule has an argument “contnet”. Did you mean', 'contnet'],
  ['"p*"', 'args.colour == "red"'],
  ['pay', 'args.notes.anything == "x" && args.amount > 3 && args.to.name == "" && spent("amount", "1h") > 3.0'],
  ['pay', 'args.lines.all(line, line.price < 3) && size(args.iban) > 3 && "amount" in args'],
  ['send', 'args.mail == "x" || args.phone == "1"'],
  ['open', 'args.whatever == 1'],
  ['mcp__pay', 'args.amuont > 3'],
];

describe('a condition on an argument', () => {
  for (const [tools, when, said, mark = ''] of FIELDS) {
    it(`${when} of ${tools} is ${said === undefined ? 'accepted' : 'warned about'}`, () => {
      const rule = `rules:\n  - tools: [${tools}]\n    when: '${when}'\n    gate: ask`;
      assertWarned(rule, said === undefined ? [] : [[said, mark]]);
    });
  }

  it('is not checked if the rule is about external programs, which have their own tools', () => {
    assertWarned(
      'rules:\n  - { tools: [pay], agent: "key:bot", when: args.amuont > 3, gate: ask }',
      [],
    );
  });
});

it('a redaction that hides nothing is warned about, and one that may hide something is not', () => {
  assertWarned('redact:\n  - { tools: [pay], args: [ibna, to.name, "notes.*"] }', [
    ['“pay” has no argument “ibna”. Did you mean “iban”?', 'ibna'],
  ]);
});

const FIRST = `rules:
  - { tools: ["*_file", pay], when: 'requester.id in ["U1", "U2"]', gate: ask }
  - `;

/** A rule behind one for two people, and the warning. */
// biome-ignore format: a row of the table is a line.
const REACHED: readonly (readonly [what: string, rule: string, said?: string])[] = [
  ['for one of them', `{ tools: [pay], when: 'requester.id == "U1"', gate: ask }`, 'This rule never matches: every call that meets its condition also meets that of rule 1, line 3, which comes first.'],
  ['for both, and more to hold', `{ tools: [read_file], when: 'args.path == "" && requester.id in ["U2", "U1"]', gate: ask }`, 'This rule never matches: every call that meets'],
  ['for another person', `{ tools: [pay], when: 'requester.id == "U3"', gate: ask }`],
  ['for one of them or a third', `{ tools: [pay], when: 'requester.id in ["U1", "U3"]', gate: ask }`],
  ['for another tool too', `{ tools: [pay, send], when: 'requester.id == "U1"', gate: ask }`],
  ['for the opposite', `{ tools: [pay], when: 'requester.id != "U1"', gate: ask }`],
  ['for two people at once', `{ tools: [send], when: 'requester.id == "U3" && requester.id == "U4"', gate: ask }`, 'This rule never matches: requester.id can’t be two things at once.'],
  ['for a tool of another rule', `{ tools: [send], when: 'tool == "pay"', gate: ask }`, 'This rule never matches: its “tools” name other tools.'],
  ['for nothing', `{ tools: [send], when: 'false', gate: ask }`, 'This rule never matches: its condition is false.'],
];

describe('a rule behind one on the requester', () => {
  for (const [what, rule, said] of REACHED) {
    it(`${what} is ${said === undefined ? 'accepted' : 'warned about'}`, () => {
      assertWarned(`${FIRST}${rule}`, said === undefined ? [] : [[said, "'"]]);
    });
  }

  it('can be reached only by programs if the first rule lets people’s calls run', () => {
    const run = '{ tools: [pay], when: \'requester.id == "U1"\', gate: run }';
    const ask = '{ tools: [pay], when: \'requester.id == "U1"\', gate: ask }';
    assertWarned(`rules:\n  - ${run}\n  - ${ask}`, [
      [
        'This rule never matches: every call (except those of programs) that meets its condition',
        "'",
      ],
    ]);
  });
});

describe('a requester among the approvers', () => {
  const route = (rest: string) =>
    `routes:\n  ops: { approvers: [user:U1, requester]${rest} }\ndefault: { gate: ask, route: ops }`;

  it('is warned about if their own approval does not count', () => {
    assertWarned(route(''), [
      ['On the route “ops” the requester’s own approval never counts.', 'requester'],
    ]);
  });

  it('is accepted if it counts', () => {
    assertWarned(route(', selfApproval: true'), []);
  });
});
