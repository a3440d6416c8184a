import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopOnSignal } from '../../src/process/stop-on-signal.ts';

function aProcess(stop: () => Promise<void>) {
  const listeners = new Map<string, () => void>();
  const exits: number[] = [];
  const logged: string[] = [];
  let now = 0;
  stopOnSignal(
    {
      on: (signal, listener) => listeners.set(signal, listener),
      exit: (code) => exits.push(code),
    },
    { stop },
    {
      clock: { now: () => now, schedule: () => () => {} },
      log: {
        info: (message) => logged.push(message),
        error: (_, message) => logged.push(message),
      },
    },
  );
  return {
    exits,
    logged,
    signal: (name: string) => listeners.get(name)?.(),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

for (const name of ['SIGTERM', 'SIGINT']) {
  test(`${name} stops the app once, and the process exits cleanly after it`, async () => {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    let stops = 0;
    const target = aProcess(() => {
      stops += 1;
      return promise;
    });
    target.signal(name);
    assert.equal(stops, 1);
    assert.deepEqual(target.exits, []);
    resolve();
    await promise;
    await new Promise(setImmediate);
    assert.deepEqual(target.exits, [0]);
  });
}

test('a second signal ends the process at once, with that signal’s exit code', () => {
  const target = aProcess(() => new Promise(() => {}));
  target.signal('SIGTERM');
  target.pass(600);
  target.signal('SIGINT');
  assert.deepEqual(target.exits, [130]);
  const other = aProcess(() => new Promise(() => {}));
  other.signal('SIGINT');
  other.pass(600);
  other.signal('SIGTERM');
  assert.deepEqual(other.exits, [143]);
});

test('the same Ctrl+C, forwarded by npm a moment later, does not count as a second signal', () => {
  let stops = 0;
  const target = aProcess(() => {
    stops += 1;
    return new Promise(() => {});
  });
  target.signal('SIGINT');
  target.pass(499);
  target.signal('SIGINT');
  assert.equal(stops, 1);
  assert.deepEqual(target.exits, []);
});

test('an app that fails to stop cleanly exits with code 1 and logs the failure', async () => {
  const target = aProcess(() => Promise.reject(new Error('stuck')));
  target.signal('SIGTERM');
  await new Promise(setImmediate);
  assert.deepEqual(target.exits, [1]);
  assert.match(target.logged.join(), /did not stop cleanly/);
});
