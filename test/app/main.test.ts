import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START = fileURLToPath(new URL('../../bin/start.js', import.meta.url));
const { PATH = '', HOME = '' } = process.env;

async function aFolder(t: TestContext): Promise<string> {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  return path;
}

function startIn(cwd: string, env: Readonly<Record<string, string>>) {
  return spawnSync(process.execPath, [START], {
    cwd,
    env: { PATH, HOME, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

test('invalid settings end the start with code 1 and print only their message', async (t) => {
  const { status, stdout, stderr } = startIn(await aFolder(t), { PORT: 'http', MCP_CONFIG: 'x' });
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.match(
    stderr,
    /^Countersign can't start with these settings .*\n {2}- PORT .*\n {2}- MCP_CONFIG .*\n$/,
  );
});

test('.env in the folder is read, and variables that are already set win', async (t) => {
  const folder = await aFolder(t);
  // Some editors begin a file with a byte order mark.
  writeFileSync(join(folder, '.env'), '\ufeffPORT=http\nLOG_LEVEL=loud\n');
  const { status, stderr } = startIn(folder, { LOG_LEVEL: 'info' });
  assert.equal(status, 1);
  assert.match(stderr, /- PORT /);
  assert.doesNotMatch(stderr, /LOG_LEVEL/);
});

test('an ambiguous .env ends the start and prints each line number but no value', async (t) => {
  const folder = await aFolder(t);
  const lines = ['APPROVER_JWT_SECRET=hunter2#abc', 'LOGLEVEL=debug', 'PORT', "HOST='::1' hunter2"];
  writeFileSync(join(folder, '.env'), lines.join('\n'));
  const { status, stdout, stderr } = startIn(folder, {});
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^The file \.env can't be read as written/);
  assert.match(stderr, /\.env line 1 has a “#”.*\n.*line 3 sets nothing.*\n.*line 4 has more text/);
  assert.match(stderr, /\.env: LOGLEVEL is not a setting\. Did you mean LOG_LEVEL\?/);
  assert.doesNotMatch(stderr, /hunter2/);
});

test('an .env that is a folder or not a settings file ends the start', async (t) => {
  const folder = await aFolder(t);
  mkdirSync(join(folder, '.env'));
  const { status, stderr } = startIn(folder, {});
  assert.equal(status, 1);
  assert.match(stderr, /^\.env is a folder, not a settings file\. Remove or rename it/);
});

test('a broken policy.yaml in the folder ends the start and prints every problem', async (t) => {
  const folder = await aFolder(t);
  writeFileSync(join(folder, 'policy.yaml'), 'version: 2\nrules:\n  - { tools: [x], gate: no }\n');
  const { status, stderr } = startIn(folder, { PORT: '0', LOG_LEVEL: 'silent' });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^The policy file can't be used:\npolicy\.yaml:1:10: .*policy\.yaml:3:25: /s,
  );
});

test('SIGTERM sent only to npm also ends the app', async (t) => {
  const folder = await aFolder(t);
  const env = { PORT: '0', DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'files') };
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: ROOT,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  // Kill the group, so that an app that npm left behind ends with the test. It may be gone already.
  t.after(() => spawnSync('kill', ['-KILL', '--', `-${npm.pid}`]));
  let address = '';
  npm.stdout.on('data', (printed) => {
    address ||= /http:\S+/.exec(String(printed))?.[0] ?? '';
  });
  await until(() => address !== '');
  assert.equal((await fetch(new URL('/healthz', address))).status, 200);
  const exited = once(npm, 'exit');
  npm.kill('SIGTERM');
  await exited;
  await assert.rejects(fetch(new URL('/healthz', address)));
});
