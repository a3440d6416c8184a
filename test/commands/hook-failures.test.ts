/** An agent runs its tool unless the hook exits with code 2, so every failure does. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/countersign.js', import.meta.url));
const EVENT = JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'ls' } });
const { PATH = '', HOME = '' } = process.env;

describe('a hook that fails', () => {
  let desk: Server;
  let env: Readonly<Record<string, string>>;
  /** Called with each request that it never answers. */
  let onAsked = () => {};
  before(async () => {
    desk = createServer((request) => {
      request.resume();
      onAsked();
    }).listen(0, '127.0.0.1');
    await once(desk, 'listening');
    const { port } = desk.address() as AddressInfo;
    env = { COUNTERSIGN_URL: `http://127.0.0.1:${port}`, COUNTERSIGN_API_KEY: 'csk_x' };
  });
  after(() => {
    desk.closeAllConnections();
    desk.close();
  });

  /** Redirects standard output with a shell, because Node can't start a process with a closed one. */
  function start(output = '', ...args: readonly string[]): ChildProcess {
    const line = `exec "$@" ${output}`;
    const child = spawn('sh', ['-c', line, 'sh', process.execPath, PROGRAM, 'hook', ...args], {
      env: { PATH, HOME, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin?.on('error', () => {});
    return child;
  }

  async function endOf(child: ChildProcess) {
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk) => (out += chunk));
    child.stderr?.on('data', (chunk) => (err += chunk));
    const [code, signal] = await once(child, 'close');
    return { code, signal, out, err };
  }

  for (const output of ['>&-', '>/dev/null', '>/dev/full'] as const) {
    it(`to write a denial to ${output} exits with 2, and reports the denial`, async () => {
      const child = start(output);
      child.stdin?.end('{"tool_name":');
      const { code, err } = await endOf(child);
      assert.equal(code, 2);
      assert.match(err, /answer can’t be delivered, so nothing runs.*"deny"/);
    });
  }

  it('because nobody reads its pipe exits with 2', async () => {
    const child = start();
    child.stdout?.destroy();
    child.stdin?.end('{"tool_name":');
    assert.equal((await endOf(child)).code, 2);
  });

  it('because standard error and output are closed exits with 2', async () => {
    const child = start('>&- 2>&-');
    child.stdin?.end('{"tool_name":');
    assert.equal((await endOf(child)).code, 2);
  });

  it('to read its input exits with 2', async () => {
    const child = start();
    child.stdin?.end(Buffer.from([0x7b, 0xff, 0x7d]));
    const { code, err, out } = await endOf(child);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /not UTF-8/);
  });

  it('to parse its arguments exits with 2', async () => {
    for (const args of [['--tool', 'x'], ['--tools', 'a', '--tools', 'b'], ['--tools'], ['x']]) {
      const child = start('', ...args);
      child.stdin?.end(EVENT);
      assert.equal((await endOf(child)).code, 2, args.join(' '));
    }
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`because ${signal} stops it while it waits exits with 2`, async () => {
      const asked = new Promise<void>((resolve) => {
        onAsked = resolve;
      });
      const child = start();
      child.stdin?.end(EVENT);
      await asked;
      child.kill(signal);
      const { code, err } = await endOf(child);
      assert.equal(code, 2);
      assert.match(err, /stopped before Countersign at .* answered/);
    });
  }

  it('because a signal stops it before it has read anything exits with 2', async () => {
    const child = start();
    const ended = endOf(child);
    // It has started once its input is open.
    child.stdin?.write(' ');
    const killing = setInterval(() => child.kill('SIGTERM'), 25);
    const { code, signal } = await ended;
    clearInterval(killing);
    // A process that has not reached its first line can’t be helped.
    assert.ok(code === 2 || signal === 'SIGTERM', `${code} ${signal}`);
  });

  it('because it is stopped twice exits with 2', async () => {
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    const child = start();
    child.stdin?.end(EVENT);
    await asked;
    child.kill('SIGTERM');
    child.kill('SIGHUP');
    child.kill('SIGTERM');
    assert.equal((await endOf(child)).code, 2);
  });
});
