/** YAML that would be dropped, or read differently than people read it: each is refused with its place and the remedy. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readPolicy } from '../../../src/policy/file/read-policy.ts';
import { readPolicyText } from '../../../src/policy/load-policy.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const rule = (keys: string) => `version: 1\nrules:\n  - tools: [pay]\n    ${keys}\n    gate: run\n`;
const when = (condition: string) => rule(`when: ${condition}`);
const refuse = (reason: string) =>
  `version: 1\nrules:\n  - tools: [pay]\n    gate: refuse\n    reason: ${reason}\n`;
const route = (keys: string) =>
  `version: 1\nroutes:\n  ops: { approvers: [user:U1, user:U2], ${keys} }\ndefault: { gate: ask, route: ops }\n`;

/** Construct, text, and the beginning of the first problem. */
// biome-ignore format: a row of the table is a line.
const REFUSED: readonly (readonly [what: string, text: string, problem: string])[] = [
  ['a condition that begins with !', when('!args.external && args.amount < 100'), '4:11 YAML reads “!args.external” as a tag and drops it. Put a value that begins with ! in quotes.'],
  ['a condition that begins with ! and a blank', when('! args.x'), '4:11 YAML reads “!” as a tag'],
  ['an agent behind a !', rule('agent: ! research'), '4:12 YAML reads “!” as a tag'],
  ['a tag in front of a gate', 'version: 1\nrules:\n  - tools: [pay]\n    gate: !x ask\n', '4:11 YAML reads “!x” as a tag'],
  ['a tag in front of the default', 'version: 1\ndefault: !x { gate: ask }\n', '2:10 YAML reads “!x” as a tag'],
  ['a tag of YAML itself', 'version: !!int 1\n', '1:10 YAML reads “!!int” as a tag'],
  ['a tag in full', 'version: !<tag:x> 1\n', '1:10 YAML reads “!<tag:x>” as a tag'],
  ['a tag in front of a key', 'version: 1\n!x rules: []\n', '2:1 YAML reads “!x” as a tag'],
  ['a tag in a list', 'version: 1\nrules:\n  - { tools: [!pay ], gate: run }\n', '3:15 YAML reads “!pay” as a tag'],
  ['a condition that begins with &&', when('&& args.x'), '4:11 YAML reads “&&” as an anchor and drops it. Put a value that begins with & in quotes'],
  ['an anchor', 'version: 1\nrules:\n  - tools: &t [pay]\n    gate: run\n', '3:12 YAML reads “&t” as an anchor'],
  ['an anchor in front of a key', 'version: 1\n&r rules: []\n', '2:1 YAML reads “&r” as an anchor'],
  ['patterns that begin with *', 'version: 1\nrules:\n  - { tools: [pay_*, *_delete], gate: ask }\n', '3:22 YAML reads “*_delete” as an alias. Put a value that begins with * in quotes, like "*_delete"'],
  ['a * alone', 'version: 1\nrules:\n  - { tools: [*], gate: ask }\n', '3:15 YAML reads “*” as an alias'],
  ['a * in a list of lines', 'version: 1\nrules:\n  - tools:\n      - *_delete\n    gate: ask\n', '4:9 YAML reads “*_delete” as an alias'],
  ['an alias of an anchor', 'version: 1\nrules:\n  - &r { tools: [pay], gate: run }\n  - *r\n', '3:5 YAML reads “&r” as an anchor'],
  ['a merge key', 'version: 1\nrules:\n  - { tools: [pay], <<: { gate: run } }\n', '3:5 “gate” is missing'],
  ['another version of YAML', '%YAML 1.1\n---\nversion: 1\n', '1:1 Directives (%) are not supported. Remove this line.'],
  ['a directive of tags', '%TAG ! tag:x,2000:\n---\nversion: 1\n', '1:1 Directives (%)'],
  ['two documents', 'version: 1\n---\nversion: 1\n', '2:1 A second document starts here'],
  ['a document behind the end of one', 'version: 1\n...\nversion: 1\n', '3:1 A second document starts here'],
  ['a key twice', 'version: 1\nrules: []\nrules: []\n', '3:1 This key appears twice'],
  ['a key twice, once in quotes', 'version: 1\nrules: []\n"rules": []\n', '3:1 This key appears twice'],
  ['a key twice, once as a number', 'version: 1\nroutes:\n  1: { approvers: [] }\n  "1": { approvers: [] }\n', '4:3 This key appears twice'],
  ['a key that is a list', 'version: 1\n? [rules]\n: []\n', '2:3 This is not valid YAML'],
  ['a key that is empty', 'version: 1\n: []\n', '2:1 “” is not a key of the file'],
  ['a key without a value', 'version: 1\nrules:\n  - { tools: [pay], gate: run, when }\n', '3:32 “when” is empty'],
  ['a comment that eats the end of a reason', refuse('See ticket #12'), '5:24 YAML drops the text after # here. If it belongs to the value, put the value in quotes'],
  ['a comment that may be a part of a reason', refuse('The # of payments'), '5:17 YAML drops the text after # here'],
  ['a comment that eats the end of a text in a condition', when('args.tag == " #x"'), '4:25 YAML drops the text after # here'],
  ['a comment that eats a value', 'version: 1\nroutes:\n  ops: { approvers: [user:U1] }\nrules: #x\n', '4:8 YAML drops the text after # here'],
  ['a backspace of YAML in a pattern', when(`"args.c.matches('\\bfoo')"`), '4:28 YAML reads “\\b” in double quotes as a control character. Use single quotes'],
  ['a separator of YAML in a pattern', when(`"args.c.matches('\\P{L}')"`), '4:28 YAML reads “\\P”'],
  ['a blank of YAML in a pattern', when(`"args.c.matches('a\\_b')"`), '4:29 YAML reads “\\_”'],
  ['an escape that YAML does not know', when(`"args.c.matches('\\d')"`), '4:28 This is not valid YAML'],
  ['a hexadecimal number', 'version: 0x1\n', '1:10 YAML reads this as 1. Write it that way, or put it in quotes.'],
  ['an octal number', route('quorum: 0o2'), '3:49 YAML reads this as 2'],
  ['a number that YAML 1.1 reads as octal', route('quorum: 02'), '3:49 YAML reads this as 2'],
  ['a number with more digits than it keeps', route('quorum: 2.0000000000000000001'), '3:49 YAML reads this as 2'],
  ['a number with an exponent', route('quorum: 2e0'), '3:49 YAML reads this as 2'],
  ['a number that is infinite', route('quorum: .inf'), '3:49 YAML reads this as Infinity'],
  ['a number with a sign', 'version: +1\n', '1:10 YAML reads this as 1'],
  ['a yes of YAML 1.1', route('selfApproval: yes'), '3:55 “selfApproval” can\'t be "yes": it is true or false.'],
  ['an on of YAML 1.1', 'version: 1\nslackMayLoosen: on\n', '2:17 “slackMayLoosen” can\'t be "on"'],
  ['a number of YAML 1.1 to the base of 60', route('deadline: 1:30'), '3:51 “deadline” can\'t be "1:30": it is a duration'],
  ['a date', route('deadline: 2026-01-31'), '3:51 “deadline” can\'t be "2026-01-31"'],
  ['a tilde for nothing', rule('when: ~'), '4:11 “when” is empty'],
  ['a list in a condition', when('[args.x]'), '4:11 “when” can\'t be ["args.x"]'],
  ['lines that end with CR alone', 'version: 1\rrules: []\n', '1:11 A line ends with CR alone. End lines with LF.'],
  ['a zero-width space in a condition', when('args.env == "pro\u200bd"'), '4:27 U+200B can’t be seen here.'],
  ['a text from right to left', when('args.env == "\u202edorp"'), '4:24 U+202E can’t be seen here.'],
  ['a byte order mark inside', when('args.env == "\ufeffprod"'), '4:24 U+FEFF can’t be seen here.'],
  ['a line separator', when('args.a\u2028 && args.b'), '4:17 U+2028 can’t be seen here.'],
  ['a line end of YAML 1.1', when('args.a\u0085 && args.b'), '4:17 U+0085 can’t be seen here.'],
  ['a control character', refuse('No\u0007.'), '5:15 U+0007 can’t be seen here.'],
  ['half of a character', refuse('No\ud83d.'), '5:15 U+D83D can’t be seen here.'],
  ['a tab in front of a key', 'version: 1\nrules:\n\t- x\n', '3:1 A tab can’t indent in YAML. Use spaces.'],
  ['a comment of CEL in lines that YAML folds', when('>\n      args.a > 1 // big\n      && args.b'), '4:11 This condition can\'t be used: A condition can’t contain a comment'],
  ['a comment of CEL in a block', when('|\n      args.a > 1 // big\n      && args.b'), '5:18 This condition can\'t be used: A condition can’t contain a comment'],
];

function firstProblem(text: string): string {
  const read = readPolicy(text);
  if (read.ok) return 'It is read.';
  const problem = read.problems.find(({ severity }) => severity === 'error');
  return problem ? `${problem.line}:${problem.column} ${problem.message}` : '';
}

describe('a policy file is refused if YAML would drop or misread something', () => {
  for (const [what, text, expected] of REFUSED) {
    it(what, () => {
      const found = firstProblem(text);
      assert.ok(found.startsWith(expected), `${found}\nbegins not with\n${expected}`);
    });
  }
});

/** Construct, condition as in the file, and as it is read. */
// biome-ignore format: a row of the table is a line.
const READ: readonly (readonly [what: string, written: string, read: string])[] = [
  ['in single quotes', `'!args.a && args.b'`, '!args.a && args.b'],
  ['in double quotes', `"!args.a && args.b"`, '!args.a && args.b'],
  ['with an escape that is a character', `"args.a == '\\u0041\\x42\\n'"`, "args.a == 'AB\n'"],
  ['over lines', 'args.a > 1\n      && args.b', 'args.a > 1 && args.b'],
  ['in a block', '|\n      args.a > 1\n      && args.b', 'args.a > 1\n&& args.b\n'],
  ['in a folded block', '>-\n      args.a > 1\n      && args.b', 'args.a > 1 && args.b'],
  ['before a comment', 'args.a > 1 # large', 'args.a > 1'],
  ['before a comment above nothing', 'args.a > 1 ## large', 'args.a > 1'],
  ['with # in it', `args.a == "#x"`, 'args.a == "#x"'],
  ['with # in quotes', `'args.a == " # x"'`, 'args.a == " # x"'],
  ['with * and & in it', 'args.a*2 > 1 && args.b', 'args.a*2 > 1 && args.b'],
];

describe('a condition is read as it is written', () => {
  for (const [what, written, expected] of READ) {
    it(what, () => {
      const read = readPolicy(when(written));
      const problems = read.ok ? [] : read.problems.map(({ message }) => message);
      // CEL refuses a line break in a text.
      if (!expected.includes("AB\n'")) assert.deepEqual(problems, []);
      if (read.ok) assert.equal(read.file.policy.rules[0]?.when, expected);
    });
  }
});

describe('the bytes of a policy file', () => {
  async function readBytes(t: TestContext, bytes: Buffer): Promise<string> {
    const { path, remove } = await makeTempDir();
    t.after(remove);
    const file = join(path, 'policy.yaml');
    await writeFile(file, bytes);
    return await readPolicyText(file);
  }

  it('may start with a byte order mark, and may have lines that end with CR LF', async (t) => {
    const text = '\ufeffversion: 1\r\nrules:\r\n  - { tools: [pay], gate: run }\r\n';
    const read = readPolicy(await readBytes(t, Buffer.from(text)));
    assert.equal(read.ok && read.file.policy.rules.length, 1);
  });

  it('are refused if they are not UTF-8', async (t) => {
    for (const encoding of ['latin1', 'utf16le'] as const) {
      const bytes = Buffer.from('\ufeffversion: 1 # caf\xe9\n', encoding);
      await assert.rejects(
        readBytes(t, bytes),
        /can't be read: it is not UTF-8; save it as UTF-8\./,
      );
    }
  });
});
