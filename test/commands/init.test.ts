/** `countersign init`: the files that it writes, and that the app starts there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Variables } from '../../src/config/setting-variables.ts';
import { folderWith, ROOT } from './policy/policy-stage.ts';

const { PATH = '', HOME = '' } = process.env;

describe('countersign init', () => {
  it('writes settings that only their owner can read, and a policy without problems', async (t) => {
    const { path, start } = await folderWith(t, {});
    const { code, err, out } = await start('init');
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /^Wrote \.env\.\nWrote policy\.yaml\.\nNext: “npm start” opens the playground\./,
    );
    assert.equal(statSync(join(path, '.env')).mode & 0o777, 0o600);
    const names =
      readFileSync(join(path, '.env'), 'utf8')
        .match(/^[A-Z_]+(?==$)/gm)
        ?.map(String) ?? [];
    assert(names.includes('SLACK_BOT_TOKEN'));
    for (const name of names) assert(name in Variables.shape, name);
    const check = await start('policy', 'check');
    assert.deepEqual(
      [check.code, check.err, check.out],
      [0, '', './policy.yaml can be used: 3 rules, 0 routes of its own.\n'],
    );
    const call = (command: string) =>
      start(
        ...['policy', 'explain', 'run_command', JSON.stringify({ command })],
        ...['--requester', 'U1', '--channel', 'C1'],
      );
    assert.match((await call('sudo reboot')).out, /^run_command would be refused/);
    assert.match(
      (await call('npm run format')).out,
      /^run_command would wait for approval, by rule 3/,
    );
  });

  it('writes a folder in which the start opens the playground', async (t) => {
    const { path, start } = await folderWith(t, {});
    await start('init');
    const app = spawn(process.execPath, [join(ROOT, 'bin/start.js')], {
      cwd: path,
      env: { PATH, HOME, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => app.kill('SIGKILL'));
    let printed = '';
    for await (const text of app.stdout) {
      printed += text;
      if (printed.includes('http:')) break;
    }
    assert.match(printed, /^Countersign’s playground is open: http:/m);
    const exited = once(app, 'exit');
    app.kill('SIGTERM');
    await exited;
  });

  it('never changes an existing file, nor the target of a link, and says so', async (t) => {
    const { path, start } = await folderWith(t, { '.env': 'PORT=0\n' });
    symlinkSync(join(path, 'elsewhere'), join(path, 'policy.yaml'));
    const { code, out } = await start('init');
    assert.equal(code, 0);
    assert.match(out, /^\.env exists already and was not changed\.\npolicy\.yaml exists already/);
    assert.equal(readFileSync(join(path, '.env'), 'utf8'), 'PORT=0\n');
    assert.equal(statSync(join(path, 'elsewhere'), { throwIfNoEntry: false }), undefined);
  });

  it('writes the file that is missing beside one that exists', async (t) => {
    const { path, start } = await folderWith(t, {});
    writeFileSync(join(path, 'policy.yaml'), 'version: 1\n');
    const { code, out } = await start('init');
    assert.equal(code, 0);
    assert.match(out, /^policy\.yaml exists already and was not changed\.\nWrote \.env\./);
    assert.equal(readFileSync(join(path, 'policy.yaml'), 'utf8'), 'version: 1\n');
  });
});
