/** Commands, from the model request to the continued thread: what they cannot reach, and what they cannot leave behind. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hasSandbox } from '../../support/system-needs.ts';
import { until } from '../../support/until.ts';
import { type FieldStage, setFieldStage } from '../field-reports/field-stage.ts';
import { createToolCalls, pidsWith, type ToolCalls, watchMemory } from './tool-calls.ts';

const skip = hasSandbox() ? false : 'bwrap does not work here';
const SECRET = 'the-secret-of-this-journey';
/** A sleep duration that no other process has. */
const SLEEP_S = `${800_000 + process.pid}.25`;

describe('commands in the real app', { skip }, () => {
  let stage: FieldStage;
  let calls: ToolCalls;
  let folder: string;
  const at = (...names: readonly string[]) => join(folder, ...names);

  before(async () => {
    // The sandbox has its own /tmp.
    folder = await mkdtemp('/var/tmp/countersign-tools-');
    await mkdir(at('workspace'));
    await mkdir(at('outside'));
    await writeFile(at('outside', 'secret.txt'), SECRET);
    await symlink(at('outside'), at('workspace', 'link'));
    stage = await setFieldStage('socket', {
      WORKSPACE_DIR: at('workspace'),
      OPENAI_API_KEY: `${SECRET}-key`,
    });
    await writeFile(join(stage.folder, 'data', 'records'), SECRET);
    calls = createToolCalls(stage);
  });
  after(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  const run = (command: string, timeoutSeconds = 20) =>
    calls.approved('run_command', { command, timeoutSeconds });

  /** The tool result and the visible text contain no secrets of the app. */
  function assertNoSecretTold(): void {
    const said = `${JSON.stringify(stage.model.requests)}${JSON.stringify(stage.workspace.see('requester').messages)}`;
    const { botToken, appToken } = stage.workspace;
    for (const secret of [SECRET, botToken, appToken]) {
      assert.ok(!said.includes(secret), `${secret} was told.`);
    }
  }

  it('the card shows a command and its sandbox, and the model and the card get its exit code and output', async () => {
    const command = 'echo made > made.txt; cat made.txt; echo wrong >&2; exit 3';
    const call = await run(command);
    assert.match(call.before, /Sandboxed, without network: it can write only to the workspace\./);
    assert.ok(call.before.includes(`$ ${command}`));
    assert.match(call.told, /^\[exit code 3, \d+\.\d s\]\nmade\nwrong$/);
    assert.match(call.after, /exit code 3/);
    assert.equal(await readFile(at('workspace', 'made.txt'), 'utf8'), 'made\n');
  });

  it('an ignored call, or one with invalid arguments, runs nothing', async () => {
    const ignored = await calls.ignored('run_command', { command: 'touch ignored' });
    assert.match(ignored.told, /ignored/i);
    const wrong = [
      { command: 'echo a\0b' },
      { command: '' },
      { command: 'x', timeoutSeconds: 601 },
    ];
    for (const args of wrong) {
      const { told, place } = await calls.unasked('run_command', args);
      assert.match(told, /^Not run: /);
      assert.equal(stage.cards(place).length, 0);
    }
    const unconfined = { command: 'touch unconfined', sandbox: 'off' };
    assert.match((await calls.unasked('run_command', unconfined)).told, /^Not run: /);
    const names = await readdir(at('workspace'));
    assert.deepEqual(
      names.filter((name) => ['ignored', 'unconfined'].includes(name)),
      [],
    );
  });

  it('nothing outside is written, by any route tried', async () => {
    const targets = ['../made', at('made'), 'link/made', '/etc/made', '/usr/made', '/made'];
    const data = join(stage.folder, 'data');
    const command = `${targets.map((target) => `echo x > ${target}`).join('; ')}; rm -rf ../outside/* link/* ${data} ${at('outside')}; echo x > /tmp/countersign-made; exit 7`;
    const { told } = await run(command);
    assert.match(told, /^\[exit code 7/);
    for (const path of [...targets.map((target) => join('/', target)), '/tmp/countersign-made']) {
      await assert.rejects(readFile(path), { code: 'ENOENT' }, path);
    }
    assert.deepEqual((await readdir(folder)).sort(), ['outside', 'workspace']);
    assert.deepEqual(await readdir(at('outside')), ['secret.txt']);
    assert.equal(await readFile(at('outside', 'secret.txt'), 'utf8'), SECRET);
    assert.equal(await readFile(join(data, 'records'), 'utf8'), SECRET);
  });

  it('the environment of the app, its records and outside files cannot be read', async () => {
    const pid = pidsWith(`DATA_DIR=${stage.folder}/data\0`, 'environ').at(-1);
    assert.ok(pid);
    const ways = [
      'cat /proc/*/environ | tr "\\0" "\\n"',
      'env',
      `cat /proc/${pid}/environ /proc/${pid}/cmdline`,
      `cat ${stage.folder}/data/* ${stage.folder}/data/records`,
      'cat link/secret.txt ../outside/secret.txt /proc/1/root/*/outside/secret.txt',
      `find / -xdev -name secret.txt -o -name 'countersign.db*' -not -path '/proc/*'`,
    ];
    const { told } = await run(`${ways.join('; ')}; echo looked`);
    assert.match(told, /looked/);
    assert.match(told, /HOME=/);
    assert.doesNotMatch(told, /DATA_DIR=|SLACK_|OPENAI_|SQLite format/);
    assertNoSecretTold();
  });

  it('a process that forks, leaves its session and ignores signals is gone at the deadline', async () => {
    const deaf = `trap '' TERM INT HUP`;
    const command = `${deaf}; echo begun; for i in 1 2 3; do (setsid nohup sleep ${SLEEP_S} &); done; setsid sh -c "${deaf}; sleep ${SLEEP_S}" & sleep ${SLEEP_S}`;
    const { told, after: seen } = await run(command, 1);
    const why = /did not end within 1 s and was killed, with all that it had started/;
    assert.match(told, why);
    assert.match(told, /It printed:\nbegun/);
    assert.match(seen, why);
    await until(() => pidsWith(`sleep\0${SLEEP_S}`, 'cmdline').length === 0);
  });

  it('background processes end with the command', async () => {
    const { told } = await run(
      `(setsid nohup sleep ${SLEEP_S} >/dev/null 2>&1 &); sleep ${SLEEP_S} & echo done`,
    );
    assert.match(told, /^\[exit code 0.*\]\ndone$/);
    await until(() => pidsWith(`sleep\0${SLEEP_S}`, 'cmdline').length === 0);
  });

  it('a hundred megabytes of output cost the app no memory, and the start and the end are returned', async () => {
    const grown = watchMemory(stage);
    const { told } = await run(
      'echo first; head -c 100000000 /dev/zero | tr "\\0" x; echo; echo last',
    );
    assert.match(told, /\nfirst\nx+\n\[… 99\d+ bytes left out …\]\nx+\nlast$/);
    assert.ok(told.length < 60_000, `${told.length} characters`);
    assert.ok(grown() < 90e6, `${grown() / 1e6} MB`);
  });

  it('there is no network, not even to the app itself', async () => {
    const { port } = new URL(stage.app().url);
    const { told } = await run(`exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached`);
    assert.match(told, /^\[exit code 1[\s\S]*refused/);
  });
});
