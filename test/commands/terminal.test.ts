/** Text of others never controls the terminal of a person who runs a command, nor forges a line. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { createLog } from '../../src/process/log.ts';
import { inTurn } from '../support/sample.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { callIn, draftAt, NOW, openAuditStage } from './audit/audit-stage.ts';

/** Clears the screen, hides text, returns to the line start, reverses direction, and adds a line. */
const HOSTILE =
  '\u001b[2J\u001b[8m\u009b31m\rx\u202e\u2066\u200b\u2028\u0007\u007f\nThe audit is intact: 9 entries checked';
const ACTS = /[^\P{C}\n]|[\u2028\u2029]/u;

function assertHarmless(text: string): void {
  assert.doesNotMatch(text, ACTS);
  assert.doesNotMatch(text, /^The audit is intact/m);
}

describe('the output of a command', () => {
  for (const kind of inTurn(['SQLite', 'Redis'] as const, 1)) {
    it(`for a tampered audit on ${kind} never says “The audit is intact”, nor controls the terminal`, async (t) => {
      const stage = await openAuditStage(t, kind);
      await stage.store.audit.append([draftAt(NOW), draftAt(NOW), draftAt(NOW)]);
      const words = { actor: HOSTILE, event: HOSTILE, subject: HOSTILE };
      await stage.forge(2, (text) => {
        const { entry, ...rest } = JSON.parse(text);
        return JSON.stringify({
          ...rest,
          entry: JSON.stringify({ ...JSON.parse(entry), ...words }),
        });
      });

      const said = await stage.call('audit', 'verify');
      assert.equal(said.code, 1);
      assert.match(
        said.out,
        /^The audit is broken at entry 2 \(.*\\u\{1b\}\[2J.*\\u\{a\}The audit/,
      );
      assertHarmless(said.out);

      const json = await stage.call('audit', 'verify', '--json');
      assert.equal(JSON.parse(json.out).problem.entry.event, HOSTILE);
      assertHarmless(json.out);

      const lines = await stage.call('audit', 'export');
      assert.equal(JSON.parse(lines.out.split('\n')[1] ?? '').actor, HOSTILE);
      assertHarmless(lines.out);

      const csv = await stage.call('audit', 'export', '--format', 'csv');
      assert.doesNotMatch(csv.out.replaceAll('\r\n', '\n'), ACTS);
      assert.match(csv.out, /\\u\{1b\}\[2J/);
    });
  }

  it('for tampered keys does not control the terminal', async (t) => {
    const stage = await openAuditStage(t, 'SQLite');
    const made = await stage.call('keys', 'create', '--name', 'bot', '--owner', 'U012', '--json');
    const { id } = JSON.parse(made.out);
    const db = new Database(join(stage.dir, 'countersign.db'));
    const key = `key/${id}`;
    const read = db.prepare<[string], string>('SELECT document FROM records WHERE key = ?').pluck();
    const changed = { ...JSON.parse(read.get(key) ?? ''), name: HOSTILE, owner: HOSTILE };
    db.prepare('UPDATE records SET document = ? WHERE key = ?').run(JSON.stringify(changed), key);
    db.close();
    const listed = await stage.call('keys', 'list');
    assert.equal(listed.out.split('\n').length, 2);
    const json = await stage.call('keys', 'list', '--json');
    assert.equal(JSON.parse(json.out)[0].name, HOSTILE);
    const ended = await stage.call('keys', 'revoke', id);
    for (const { out, err } of [listed, json, ended]) assertHarmless(out + err);
  });

  const HOSTILE_ARGUMENTS: readonly (readonly string[])[] = [
    [HOSTILE],
    ['audit', HOSTILE],
    ['audit', 'verify', `--${HOSTILE}`],
    ['audit', 'verify', HOSTILE],
    ['audit', 'export', '--format', HOSTILE],
    ['audit', 'export', '--from', HOSTILE],
    ['audit', 'export', '--out', `/proc/${HOSTILE}`],
    ['audit', 'export', '--out', `/no-such-folder/${HOSTILE}`],
    ['keys', 'revoke', HOSTILE],
    ['keys', 'create', '--name', HOSTILE],
    ['keys', 'create', '--name', 'a', '--scopes', HOSTILE],
    ['keys', 'create', '--name', 'a', '--expires', HOSTILE],
    ['policy', 'check', HOSTILE],
    ['policy', 'check', '--json', HOSTILE],
    ['policy', 'explain', HOSTILE, '{}', '--requester', 'U1', '--channel', 'C1'],
    ['policy', 'explain', HOSTILE, '{}', '--requester', 'U1', '--channel', 'C1', '--json'],
    ['policy', 'explain', 'read_file', HOSTILE, '--requester', 'U1', '--channel', 'C1'],
    ['policy', 'explain', 'x', '{}', '--requester', HOSTILE, '--channel', 'C1'],
    ['policy', 'explain', 'x', '{}', '--requester', 'U1', '--channel', 'C1', '--agent', HOSTILE],
    ['policy', 'explain', 'read_file', `{"${'\\n'}": 1}`, '--requester', 'U1', '--channel', 'C1'],
  ];
  for (const args of HOSTILE_ARGUMENTS) {
    const words = args.map((each) => (each.includes(HOSTILE) ? '…' : each)).join(' ');
    it(`for hostile arguments does not control the terminal: ${words}`, async (t) => {
      const stage = await openAuditStage(t, 'SQLite');
      const { err, out } = await stage.call(...args);
      assert.notEqual(out + err, '');
      assertHarmless(out + err);
    });
  }

  it('for hostile settings and files does not control the terminal, in its own process too', async (t) => {
    const { path, remove } = await makeTempDir();
    t.after(remove);
    mkdirSync(join(path, 'workspace'));
    const quoted = JSON.stringify(HOSTILE);
    writeFileSync(
      join(path, 'policy.yaml'),
      `version: 1\nroutes: { ${quoted}: {} }\nrules:\n  - { tools: [${quoted}], gate: ${quoted} }\n`,
    );
    const mcp = { mcpServers: { [HOSTILE]: { command: 'x', [HOSTILE]: 1, url: HOSTILE } } };
    writeFileSync(join(path, 'mcp.json'), JSON.stringify(mcp));
    const { PATH = '', HOME = '' } = process.env;
    const bin = fileURLToPath(new URL('../../bin/', import.meta.url));
    const start = (program: string, args: readonly string[], env: Record<string, string>) =>
      spawnSync(process.execPath, [join(bin, program), ...args], {
        cwd: path,
        env: { PATH, HOME, ...env },
        encoding: 'utf8',
      });
    const runs = [
      start('countersign.js', ['policy', 'check'], {}),
      start('countersign.js', ['audit', 'verify'], { DATA_DIR: HOSTILE }),
      start('countersign.js', ['audit', 'verify'], { REDIS_URL: HOSTILE }),
      start('countersign.js', [HOSTILE], {}),
      start('countersign.js', ['hook', `--${HOSTILE}`], {}),
      start('start.js', [], { MCP_CONFIG: './mcp.json', POLICY_FILE: HOSTILE, PORT: HOSTILE }),
    ];
    for (const { status, stderr, stdout } of runs) {
      assert.notEqual(status, 0);
      assert.notEqual(stdout + stderr, '');
      assertHarmless(stdout + stderr);
    }
  });

  it('for a broken .env does not show its values, and the command exits with 1', async (t) => {
    const { path, remove } = await makeTempDir();
    t.after(remove);
    writeFileSync(join(path, '.env'), 'APPROVER_JWT_SECRET=hunter2#3\nPOLICY_FLE=x\n');
    const program = fileURLToPath(new URL('../../bin/countersign.js', import.meta.url));
    const { PATH = '', HOME = '' } = process.env;
    const { status, stderr } = spawnSync(process.execPath, [program, 'policy', 'check'], {
      cwd: path,
      env: { PATH, HOME },
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /\.env line 1 has a “#”.*\n.*\.env: POLICY_FLE is not a setting\. Did you mean POLICY_FILE/,
    );
    assert.doesNotMatch(stderr, /hunter2/);
  });

  it('in a log line does not control the terminal, and keeps its meaning', () => {
    const lines: string[] = [];
    const log = createLog({
      level: 'info',
      destination: { write: (line) => void lines.push(line) },
    });
    log.info({ tool: HOSTILE }, HOSTILE);
    const [line = ''] = lines;
    assert.equal(line.split('\n').length, 2);
    assertHarmless(line);
    assert.deepEqual([JSON.parse(line).tool, JSON.parse(line).msg], [HOSTILE, HOSTILE]);
  });

  it('names an unknown command in full', async () => {
    assert.match((await callIn({}, ['no', 'such'])).err, /There is no command “no such”/);
  });
});
