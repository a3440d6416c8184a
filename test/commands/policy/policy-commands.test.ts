/** The `countersign` command as people and programs call it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folderWith, POLICY, ROOT, run } from './policy-stage.ts';

const WHO = ['--requester', 'U1', '--channel', 'C1'];
const WRITE = ['policy', 'explain', 'write_file', '{"path":"a.txt","content":"x"}', ...WHO];

describe('countersign policy explain', () => {
  it('shows the matching rule, its channel, approvers, quorum and deadline, why no earlier rule matches, and what it assumed', async (t) => {
    const { call } = await folderWith(t, { 'policy.yaml': POLICY });
    const { code, err, out } = await call(WRITE);
    assert.equal(err, '');
    assert.equal(code, 0);
    assert.equal(
      out,
      `write_file would wait for approval, by rule 6, line 17 of ./policy.yaml.
  route      ops
  card       in #ops (a name, looked up at the start)
  approvers  user group S0OPS, @lead (a name, looked up at the start), the requester
  quorum     2 approvals; the requester’s own approval does not count
  allows     approve, edit, reply, ignore; an approval needs a reason
  deadline   4h; a reminder after 30m; after 2h it escalates to the route “requester”
  risk       high
Skipped rule 1, line 12: it applies to other tools.
Skipped rule 2, line 13: it applies to another agent.
Skipped rule 3, line 14: its condition is false.
Skipped rule 4, line 15: its condition is false.
Skipped rule 5, line 16: its condition is false.
Assumed: The requester has made no other call of this tool: totals count only this one.
Assumed: The requester is in no user group; --group sets one.
`,
    );
  });

  it('prints JSON', async (t) => {
    const { call } = await folderWith(t, { 'policy.yaml': POLICY });
    const { out } = await call([...WRITE, '--agent', 'research', '--json']);
    const explanation = JSON.parse(out);
    assert.match(explanation.policy, /^[0-9a-f]{64}$/);
    assert.deepEqual(
      { ...explanation, policy: '' },
      {
        file: './policy.yaml',
        policy: '',
        tool: 'write_file',
        args: { path: 'a.txt', content: 'x' },
        agent: 'helper:research',
        rule: 'rule 2, line 13',
        gate: 'refuse',
        reason: 'Research writes nothing.',
        passedOver: [{ rule: 'rule 1, line 12', why: 'tool' }],
        assumed: [],
      },
    );
  });

  it('uses the given groups and address', async (t) => {
    const { call } = await folderWith(t, { 'policy.yaml': POLICY });
    const { out } = await call([...WRITE, '--group', 'S0OPS', '--email', 'a@b.test']);
    assert.match(out, /^write_file would run without asking, by rule 5, line 16/);
    assert.doesNotMatch(out, /user group;|address/);
  });

  it('says that arguments do not fit the tool, and exits with 1', async (t) => {
    const { call } = await folderWith(t, { 'policy.yaml': POLICY });
    const { code, err } = await call(['policy', 'explain', 'write_file', '{"path":5}', ...WHO]);
    assert.equal(code, 1);
    assert.match(err, /do not fit write_file.*\n {2}path: .*\n {2}content: /);
  });

  it('uses the built-in rules without a file, and exits with 1 with a broken one', async (t) => {
    const { call, path } = await folderWith(t, {});
    const builtIn = await call(WRITE);
    assert.equal(builtIn.code, 0);
    assert.match(builtIn.out, /^write_file would wait for approval, by the built-in rules\./);
    assert.match(builtIn.out, /approvers {2}the requester\n/);
    await writeFile(join(path, 'rules.yaml'), 'version: 2');
    const broken = await call([...WRITE, '--file', join(path, 'rules.yaml')]);
    assert.equal(broken.code, 1);
    assert.match(broken.err, /^\.\/rules\.yaml:1:10: /);
  });

  it('says that an external call runs only by a rule that names its program', async (t) => {
    const rules = `version: 1
rules:
  - { tools: [read_file], gate: run }
  - { tools: [read_file], agent: "deploy-*", gate: run }
`;
    const { call } = await folderWith(t, { 'policy.yaml': rules });
    const explain = ['policy', 'explain', 'read_file', '{"any":1}', ...WHO];
    const other = await call([...explain, '--program', 'backup']);
    assert.match(other.out, /read_file would wait for approval/);
    assert.match(
      other.out,
      /Skipped rule 1, line 3: it applies to others, or allows runs without naming/,
    );
    assert.match(other.out, /card {7}in the channel that the program names/);
    assert.doesNotMatch(other.out, /There is no tool/);
    const named = await call([...explain, '--program', 'deploy-bot']);
    assert.match(named.out, /read_file would run without asking, by rule 2/);
    const both = await call([...explain, '--program', 'a', '--agent', 'b']);
    assert.deepEqual([both.code, /not both/.test(both.err)], [2, true]);
  });

  it('says why a condition can’t be evaluated', async (t) => {
    const policy = "version: 1\nrules:\n  - { tools: [fly], when: 'args.far > 5', gate: run }\n";
    const { call } = await folderWith(t, { 'policy.yaml': policy });
    const { out } = await call(['policy', 'explain', 'fly', '{}', ...WHO]);
    assert.match(
      out,
      /would wait for approval.*\nThe condition of this rule can't be evaluated: No such key: far\./,
    );
    assert.match(out, /There is no tool “fly” here/);
  });
});

describe('countersign', () => {
  it('exits with 2 and prints its usage if its arguments are wrong', async (t) => {
    const { call } = await folderWith(t, {});
    const wrong: readonly (readonly [args: readonly string[], why: RegExp])[] = [
      [[], /Name a command/],
      [['policy'], /There is no command “policy”/],
      [['policy', 'foo'], /There is no command “policy foo”/],
      [['policy', 'check', 'a', 'b'], /Name one file/],
      [['policy', 'check', 'a', '--file', 'b'], /Name one file/],
      [['policy', 'check', '--jsn'], /--jsn/],
      [['policy', 'explain', 'x', ...WHO], /Name a tool and its arguments/],
      [['policy', 'explain', 'x', '{', ...WHO], /not valid JSON \(line 1, column 2\)/],
      [['policy', 'explain', 'x', '{}', '--channel', 'C1'], /--requester is an id/],
      [
        ['policy', 'explain', 'x', '{}', '--requester', 'bob', '--channel', 'C1'],
        /like --requester U012AB3CD/,
      ],
    ];
    for (const [args, why] of wrong) {
      const { code, err, out } = await call(args);
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, why);
      assert.match(err, /Usage:/);
    }
    const typos = [
      [['policy', 'chek'], 'policy check'],
      [['polcy', 'explain'], 'policy explain'],
      [['docter', '--json'], 'doctor'],
      [['keys', 'roatte', 'x'], 'keys rotate'],
    ] as const;
    for (const [args, meant] of typos) {
      const { code, err, out } = await call(args);
      assert.deepEqual([code, out], [2, '']);
      assert.match(
        err,
        new RegExp(`no command “.*Did you mean “npx --no -- countersign ${meant}”`),
      );
      assert.doesNotMatch(err, /Usage:/);
    }
    const help = await call(['--help']);
    assert.deepEqual([help.code, help.err], [0, '']);
    assert.match(help.out, /countersign policy explain/);
  });

  it('is a program with these exit codes, and reads .env as the app does', async (t) => {
    const { path, start } = await folderWith(t, {
      'rules.yaml': POLICY,
      'broken.yaml': 'version: 2',
      '.env': 'POLICY_FILE=./rules.yaml\n',
    });
    const [fine, broken, wrong] = await Promise.all([
      start('policy', 'check', '--json'),
      start('policy', 'check', join(path, 'broken.yaml')),
      start('policy', 'check', '--jsn'),
    ]);
    assert.deepEqual([fine?.code, broken?.code, wrong?.code], [0, 1, 2]);
    const { file, names, ok, routes, rules } = JSON.parse(fine?.out ?? '');
    assert.deepEqual(
      { file, names, ok, routes, rules },
      { file: './rules.yaml', names: ['@lead', '#ops'], ok: true, routes: ['ops'], rules: 6 },
    );
  });

  it('can be called by npx in the folder of the app', async (t) => {
    const { path } = await folderWith(t, { 'policy.yaml': POLICY });
    const args = ['--no', '--', 'countersign', 'policy', 'check', join(path, 'policy.yaml')];
    const { code, out } = await run('npx', args, { cwd: ROOT });
    assert.equal(code, 0);
    assert.match(out, /can be used: 6 rules/);
  });
});
