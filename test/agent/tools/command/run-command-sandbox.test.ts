import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { until } from '../../../support/until.ts';
import {
  aMark,
  clock,
  createPlace,
  MARK,
  processesWith,
  run,
  SANDBOXED,
  skip,
  toolFor,
} from './command-fixture.ts';

describe('in the sandbox', { skip }, () => {
  test('a command works in the workspace, and its exit code and both outputs are returned in order', async (t) => {
    const { at, place } = createPlace(t);
    const tool = toolFor(place, SANDBOXED);
    assert.match(
      await run(tool, 'pwd; echo one; echo two >&2; echo three > made.txt; cat made.txt; exit 3'),
      new RegExp(`^\\[exit code 3, \\d\\.\\d s\\]\n${at('workspace')}\none\ntwo\nthree$`),
    );
    assert.equal(readFileSync(at('workspace', 'made.txt'), 'utf8'), 'three\n');
    assert.match(await run(tool, 'kill -9 $$'), /^\[exit code 137, as after SIGKILL, /);
    assert.match(await run(tool, 'cat'), /^\[exit code 0, [^\n]*$/);
    assert.match(await run(tool, '-x'), /^\[exit code 127, [^\n]*\n.*-x: command not found/);
    assert.match(await run(tool, 'echo "$(printf %s a)" | tr a b'), /\nb$/);
  });

  test('nothing outside the workspace can be written', async (t) => {
    const { at, place } = createPlace(t);
    const tool = toolFor(place, SANDBOXED);
    symlinkSync(at('data'), at('workspace', 'link'));
    const targets = [
      '/made',
      '/etc/made',
      '/usr/made',
      '../made',
      at('made'),
      'link/made',
      '/proc/sys/kernel/hostname',
      '/proc/sys/kernel/core_pattern',
    ];
    for (const target of targets) {
      const said = await run(tool, `echo x > ${target}`);
      assert.match(said, /^\[exit code 1,/, target);
    }
    await run(tool, `rm -rf ../data /etc /usr ${at('data')} 2>/dev/null`);
    assert.equal(existsSync(at('made')), false);
    assert.deepEqual(readdirSync(at('data')), ['records.db']);
    assert.match(
      await run(
        tool,
        'mount -o remount,rw /usr 2>&1; unshare -r true && echo again; touch /usr/made',
      ),
      /\[exit code 1,/,
    );
    assert.match(await run(tool, 'echo x > /tmp/made && cat /tmp/made'), /\nx$/);
    assert.equal(existsSync('/tmp/made'), false);
  });

  test('our records, settings, home and environment cannot be read', async (t) => {
    const { at, place } = createPlace(t);
    const tool = toolFor(place, SANDBOXED);
    symlinkSync(at('data', 'records.db'), at('workspace', 'link'));
    process.env.SECRET_OF_THE_TEST = MARK;
    t.after(() => delete process.env.SECRET_OF_THE_TEST);
    const ways = [
      `cat ${at('data', 'records.db')}`,
      `cat ../data/records.db ${at('settings.env')}`,
      'cat link',
      'cat /proc/*/environ | tr "\\0" "\\n" | grep SECRET_OF',
      `ls -la ${at('data')} && cat ${at('data')}/*`,
      'ls /root/* /home/* ~root/* /var/* /run/* /work /srv/*',
      'cat /etc/shadow /etc/sudoers',
      'cat /proc/1/root/etc/shadow',
    ];
    for (const way of ways) {
      const said = await run(tool, way);
      assert.doesNotMatch(said, new RegExp(MARK), way);
      assert.match(said, /^\[exit code [12],/, `${way}\n${said}`);
    }
    assert.deepEqual((await run(tool, 'env | cut -d= -f1 | sort')).split('\n').slice(1), [
      'HOME',
      'LANG',
      'PATH',
      'PWD',
      'SHLVL',
      'TMPDIR',
      '_',
    ]);
    assert.match(
      await run(tool, `ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid}`),
      /No such process/,
    );
  });

  test('hidden paths stay hidden inside a visible folder: the workspace, or a system folder', async (t) => {
    const { at, place } = createPlace(t, 'workspace/.env');
    const tool = toolFor(place, SANDBOXED);
    const said = await run(tool, 'ls -a; cat .env; echo x > .env');
    assert.match(said, /^\[exit code 1,/);
    assert.doesNotMatch(said, new RegExp(MARK));
    assert.equal(readFileSync(at('workspace', '.env'), 'utf8'), MARK);
    const shared = toolFor({ ...place, hidden: ['/usr/share'] }, SANDBOXED);
    assert.match(
      await run(shared, 'ls /usr/share | wc -l; touch /usr/share/x'),
      /\n0\n.*Read-only/,
    );
  });

  test('there is no network unless the operator allows it', async (t) => {
    const server = createServer((_request, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { place } = createPlace(t);
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
    assert.match(await run(toolFor(place, SANDBOXED), command), /Connection refused/);
    const online = toolFor(place, { kind: 'sandboxed', hasNetwork: true });
    assert.match(await run(online, command), /reached/);
  });

  test('a hundred megabytes of output use no memory, and beginning and end are kept', async (t) => {
    const { place } = createPlace(t);
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    const said = await run(
      toolFor(place, SANDBOXED),
      'echo first; head -c 100000000 /dev/zero | tr "\\0" x; echo; echo last',
    );
    clearInterval(watch);
    assert.match(said, /\nfirst\nx+\n\[… 999\d+ bytes left out …\]\nx+\nlast$/);
    assert(said.length < 60_000);
    assert((peak - before) / 1e6 < 60, `${(peak - before) / 1e6} MB`);
  });

  test('processes that fork, ignore signals and leave the session are killed at the timeout', async (t) => {
    const { place } = createPlace(t);
    const mark = aMark();
    const command = `echo started; trap '' TERM INT HUP; for i in 1 2 3; do (setsid nohup sleep ${mark} &) ; done; setsid sh -c "trap '' TERM; sleep ${mark}" & sleep ${mark}`;
    const startedAt = clock.now();
    await assert.rejects(
      run(toolFor(place, SANDBOXED), command, { seconds: 1 }),
      /did not end within 1 s and was killed, with all that it had started[\s\S]*started/,
    );
    assert(clock.now() - startedAt < 3_000);
    await until(() => processesWith(mark).length === 0);
  });

  test('a stop ends all processes within two seconds', async (t) => {
    const { at, place } = createPlace(t);
    const mark = aMark();
    const stop = new AbortController();
    const command = `trap '' TERM; setsid sleep ${mark} & touch ready; sleep ${mark}`;
    const running = run(toolFor(place, SANDBOXED), command, { signal: stop.signal });
    await until(() => existsSync(at('workspace', 'ready')));
    assert(processesWith(mark).length > 0);
    const stoppedAt = clock.now();
    stop.abort(new Error('stopped'));
    await assert.rejects(running, /stopped/);
    await until(() => processesWith(mark).length === 0);
    assert(clock.now() - stoppedAt < 2_000);
  });

  test('background processes end with the command, and do not delay its result', async (t) => {
    const { place } = createPlace(t);
    const mark = aMark();
    assert.match(await run(toolFor(place, SANDBOXED), `sleep ${mark} & echo done`), /\ndone$/);
    await until(() => processesWith(mark).length === 0);
  });

  test('the command dies with the app', async (t) => {
    const { at, place } = createPlace(t);
    const mark = aMark();
    const script = `
      const { createRunCommand } = await import('${join(import.meta.dirname, '../../../../src/agent/tools/command/run-command.ts')}');
      const { createSystemClock } = await import('${join(import.meta.dirname, '../../../../src/process/system-clock.ts')}');
      const { tool } = createRunCommand({ place: ${JSON.stringify(place)}, confinement: ${JSON.stringify(SANDBOXED)}, clock: createSystemClock() });
      const { value } = tool.parse({ command: 'touch ready; setsid sleep ${mark} & sleep ${mark}' });
      setInterval(() => {}, 1000);
      await tool.run(value, { signal: new AbortController().signal });`;
    const app = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    t.after(() => app.kill('SIGKILL'));
    await until(() => existsSync(at('workspace', 'ready')));
    await until(() => processesWith(`sleep\0${mark}`).length > 0);
    app.kill('SIGKILL');
    await until(() => processesWith(`sleep\0${mark}`).length === 0);
  });
});
