import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { agentWritableFileProblems } from '../../src/config/paths/agent-writable-problems.ts';
import type { AuditDraft } from '../../src/domain/audit/audit.ts';
import type {
  NameDirectory,
  PolicyName,
  ResolvedName,
} from '../../src/domain/policy/policy-routes.ts';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { PolicyFileError } from '../../src/policy/policy-problem.ts';
import { watchPolicy } from '../../src/policy/watch-policy.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

const RUN = 'version: 1\nrules:\n  - { tools: [pay], gate: run }\n';
const REFUSE = 'version: 1\nrules:\n  - { tools: [pay], gate: refuse, reason: No. }\n';
const NAMED = `version: 1
routes:
  ops: { channel: "#ops", approvers: ["@lead", "#ops", "@team"] }
default: { gate: ask, route: ops }
`;

type Names = Readonly<Record<string, readonly ResolvedName[]>>;

const EVERY_NAME: Names = {
  '#ops': ['channel:C0OPS'],
  '@lead': ['user:U0LEAD'],
  '@team': ['usergroup:S0TEAM'],
};

const NOBODY: NameDirectory = { resolveNames: async () => new Map() };

async function watch(t: TestContext, text: string | undefined, names: Names = {}) {
  const { path: dir, remove } = await makeTempDir();
  t.after(remove);
  const path = join(dir, 'policy.yaml');
  if (text !== undefined) await writeFile(path, text);
  const clock = createManualClock();
  const audited: AuditDraft[] = [];
  const logged: string[] = [];
  let asked = 0;
  let isAway = false;
  const directory: NameDirectory = {
    async resolveNames(wanted) {
      asked += 1;
      if (isAway) throw new Error('Slack is away.');
      const found: [PolicyName, readonly ResolvedName[]][] = wanted.map((n) => [n, names[n] ?? []]);
      return new Map(found);
    },
  };
  const say = (level: string) => (_fields: object, message: string) => {
    logged.push(`${level}: ${message}`);
  };
  const workspace = join(dir, 'workspace');
  await mkdir(workspace);
  const opened = await watchPolicy({
    path,
    problemsOfPlace: (file) => agentWritableFileProblems('POLICY_FILE', file, workspace),
    names: directory,
    known: async () => ({ tools: ['pay'], agents: [] }),
    audit: {
      append: async (drafts) => {
        audited.push(...drafts);
      },
    },
    clock,
    log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
  });
  t.after(() => opened.stop());
  return {
    path,
    workspace,
    clock,
    audited,
    logged,
    current: opened.current,
    stop: opened.stop,
    asked: () => asked,
    setAway(away: boolean) {
      isAway = away;
    },
    gate: () => opened.current().policy.rules[0]?.ruling.gate,
    /** Lets the watch check until a condition holds; it depends on when the file system answers. */
    async checkUntil(holds: () => boolean) {
      await until(async () => {
        await clock.advance(500);
        return holds();
      });
    },
  };
}

describe('the policy file', () => {
  it('applies from the start, and the audit has its hash', async (t) => {
    const { audited, gate, current } = await watch(t, RUN);
    assert.equal(gate(), 'run');
    assert.deepEqual(
      audited.map(({ detail, event }) => [event, detail]),
      [['policy.load', { file: 'policy.yaml', policy: current().hash }]],
    );
  });

  it('that is broken or missing stops the start, with every problem', async (t) => {
    const broken = 'version: 1\nrules:\n  - { tools: [pay], gate: no }\n  - { tool: x }\n';
    await assert.rejects(watch(t, broken), (error) => {
      assert.ok(error instanceof PolicyFileError);
      assert.match(error.message, /policy\.yaml:3:27: “gate”/);
      assert.match(error.message, /policy\.yaml:4:7: “tool” is not a key/);
      assert.match(error.message, /\n {4}3 \| {3}- \{ tools: \[pay\], gate: no \}\n {6}\| {27}\^/);
      return true;
    });
    await assert.rejects(watch(t, undefined), /there is no such file.*POLICY_FILE/);
    await assert.rejects(watch(t, `${RUN}#${'x'.repeat(1_000_000)}`), /larger than/);
  });

  it('is read again when it changes, and the audit has the hash before and after', async (t) => {
    const { path, gate, audited, current, checkUntil } = await watch(t, RUN);
    const before = current().hash;
    await writeFile(path, REFUSE);
    await checkUntil(() => gate() === 'refuse');
    const { detail, event } = audited.at(-1) ?? {};
    assert.equal(event, 'policy.change');
    assert.deepEqual(detail, { file: 'policy.yaml', before, after: current().hash });
  });

  it('that breaks later changes nothing, and is reported once as an error', async (t) => {
    const { path, gate, audited, logged, current, clock, checkUntil } = await watch(t, RUN);
    await writeFile(path, 'version: 2\n');
    await checkUntil(() => audited.length > 1);
    await clock.advance(60_000);
    assert.equal(gate(), 'run');
    assert.equal(audited.length, 2);
    const { detail, event } = audited[1] ?? {};
    assert.equal(event, 'policy.refused');
    assert.equal(detail?.kept, current().hash);
    const errors = logged.filter((line) => line.startsWith('error'));
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? '', /the old one stays in force.*policy\.yaml:1:10/s);
    await writeFile(path, REFUSE);
    await checkUntil(() => gate() === 'refuse');
  });

  it('that is deleted changes nothing', async (t) => {
    const { path, gate, audited, checkUntil } = await watch(t, RUN);
    await rm(path);
    await checkUntil(() => audited.at(-1)?.event === 'policy.refused');
    assert.equal(gate(), 'run');
  });

  it('that is replaced by a link into the workspace changes nothing, and is reported as an error', async (t) => {
    const { path, workspace, gate, audited, logged, checkUntil } = await watch(t, REFUSE);
    const inside = join(workspace, 'policy.yaml');
    await writeFile(inside, RUN);
    await rm(path);
    await symlink(inside, path);
    await checkUntil(() => audited.at(-1)?.event === 'policy.refused');
    assert.equal(gate(), 'refuse');
    assert.match(String(audited.at(-1)?.detail.why), /is inside WORKSPACE_DIR.*Put it outside/);
    assert.ok(
      logged.some((line) => /^error: .*old one stays in force.*inside WORKSPACE_DIR/.test(line)),
    );
    await rm(path);
    await writeFile(path, RUN);
    await checkUntil(() => gate() === 'run');
  });

  it('that is moved into the workspace, with a link in its place, is reported at once', async (t) => {
    const { path, workspace, audited, checkUntil } = await watch(t, REFUSE);
    await rename(path, join(workspace, 'policy.yaml'));
    await symlink(join(workspace, 'policy.yaml'), path);
    await checkUntil(() => audited.at(-1)?.event === 'policy.refused');
    assert.match(String(audited.at(-1)?.detail.why), /is inside WORKSPACE_DIR/);
  });

  it('that is not a regular file is refused at once, at the start and later', async (t) => {
    const { path, gate, audited, checkUntil } = await watch(t, RUN);
    const pipe = `${path}.pipe`;
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
    const anywhere = {
      problemsOfPlace: () => [],
      names: NOBODY,
      known: async () => ({ tools: [], agents: [] }),
    };
    for (const file of [pipe, '/dev/zero']) {
      await assert.rejects(loadPolicy(file, anywhere), (error) => {
        assert.ok(error instanceof PolicyFileError);
        assert.match(error.message, /can't be read: it is not a regular file.* Put a policy there/);
        return true;
      });
    }
    await rename(pipe, path);
    await checkUntil(() => audited.at(-1)?.event === 'policy.refused');
    assert.equal(gate(), 'run');
    assert.match(String(audited.at(-1)?.detail.why), /not a regular file/);
  });

  it('that is rewritten with the same rules changes nothing', async (t) => {
    const { path, audited, clock, asked } = await watch(t, NAMED, EVERY_NAME);
    await writeFile(path, NAMED);
    await until(async () => {
      await clock.advance(500);
      return asked() === 2;
    });
    assert.equal(audited.length, 1);
  });

  it('is not read any more when the app ends', async (t) => {
    const { clock, stop } = await watch(t, RUN);
    assert.equal(clock.pendingCount, 1);
    stop();
    assert.equal(clock.pendingCount, 0);
  });

  it('that lets failing conditions run is reported', async (t) => {
    const { logged } = await watch(t, `onPolicyError: run\n${RUN}`);
    assert.ok(logged.some((line) => /^warn: .*onPolicyError: run/.test(line)));
  });
});

describe('names in the policy file', () => {
  it('are looked up at the start and replaced by ids', async (t) => {
    const { current } = await watch(t, NAMED, EVERY_NAME);
    const { ruling } = current().policy.fallback;
    assert.equal(ruling.gate, 'ask');
    if (ruling.gate !== 'ask') return;
    assert.equal(ruling.route.channel, 'C0OPS');
    assert.deepEqual(ruling.route.approvers, ['user:U0LEAD', 'channel:C0OPS', 'usergroup:S0TEAM']);
  });

  it('are not looked up if there are none', async (t) => {
    const { asked } = await watch(t, RUN);
    assert.equal(asked(), 0);
  });

  it('that are unknown or ambiguous stop the start', async (t) => {
    const names = { ...EVERY_NAME, '#ops': [], '@lead': ['user:U1', 'usergroup:S1'] } as const;
    await assert.rejects(watch(t, NAMED, names), (error) => {
      assert.ok(error instanceof PolicyFileError);
      assert.match(
        error.message,
        /:3:19: The app can’t see a channel “#ops” in Slack\. .*invite the app/,
      );
      assert.match(
        error.message,
        /:3:39: “@lead” is ambiguous: user:U1, usergroup:S1\. Write the id/,
      );
      return true;
    });
    await assert.rejects(
      watch(t, NAMED, { ...EVERY_NAME, '@team': [] }),
      /:3:56: Slack has no person or user group “@team”/,
    );
  });

  it('that resolve to too few people stop the start', async (t) => {
    const text = NAMED.replace('"#ops", "@team"]', '"@team"], quorum: 2').replace(
      '"@team"',
      '"@also"',
    );
    const names = { ...EVERY_NAME, '@also': ['user:U0LEAD'] } as const;
    await assert.rejects(watch(t, text, names), /only one person can approve, but 2 must/);
  });

  it('that Slack cannot resolve later leave the old rules until it can', async (t) => {
    const { path, current, logged, checkUntil, setAway, audited } = await watch(t, RUN, EVERY_NAME);
    const before = current().hash;
    setAway(true);
    await writeFile(path, NAMED);
    await checkUntil(() => logged.some((line) => /^error: .*old rules stay in force/.test(line)));
    assert.equal(current().hash, before);
    setAway(false);
    await checkUntil(() => current().hash !== before);
    assert.equal(audited.at(-1)?.event, 'policy.change');
  });
});
