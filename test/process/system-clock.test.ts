import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { createSystemClock } from '../../src/process/system-clock.ts';

const DAY_MS = 86_400_000;

/** The mock timers accept any delay; Node's own fire at once beyond 2^31 - 1 ms. */
function overflowAsNodeDoes(t: TestContext) {
  const { setTimeout } = globalThis;
  return t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) =>
    setTimeout(run, ms >= 2 ** 31 ? 1 : ms),
  );
}

test('a callback runs at its due time and not before', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000 });
  const clock = createSystemClock();
  const ranAt: number[] = [];
  clock.schedule(6_000, () => ranAt.push(clock.now()));
  t.mock.timers.tick(4_999);
  assert.deepEqual(ranAt, []);
  t.mock.timers.tick(1);
  assert.deepEqual(ranAt, [6_000]);
});

test('a due time in the past runs on the next event loop turn, not inside schedule()', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000 });
  let runs = 0;
  createSystemClock().schedule(0, () => {
    runs += 1;
  });
  assert.equal(runs, 0);
  t.mock.timers.tick(1);
  assert.equal(runs, 1);
});

test('a due time beyond the largest timer delay is kept', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
  const armed = overflowAsNodeDoes(t);
  const clock = createSystemClock();
  const ranAt: number[] = [];
  clock.schedule(60 * DAY_MS, () => ranAt.push(clock.now()));
  for (let day = 0; day < 59; day += 1) t.mock.timers.tick(DAY_MS);
  assert.deepEqual(ranAt, []);
  t.mock.timers.tick(DAY_MS);
  assert.deepEqual(ranAt, [60 * DAY_MS]);
  assert(armed.mock.callCount() <= 3, 'it was waited for, not polled');
});

test('a cancelled callback never runs, however long its delay', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
  let runs = 0;
  const cancel = createSystemClock().schedule(60 * DAY_MS, () => {
    runs += 1;
  });
  for (let day = 0; day < 40; day += 1) t.mock.timers.tick(DAY_MS);
  cancel();
  cancel();
  for (let day = 0; day < 40; day += 1) t.mock.timers.tick(DAY_MS);
  assert.equal(runs, 0);
});

test('a scheduled callback does not keep the process alive', () => {
  const clock = new URL('../../src/process/system-clock.ts', import.meta.url);
  const code = `import { createSystemClock } from ${JSON.stringify(clock.href)};
    createSystemClock().schedule(Date.now() + ${60 * DAY_MS}, () => {});`;
  const ended = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', code],
    { timeout: 30_000, encoding: 'utf8' },
  );
  assert.equal(ended.signal, null);
  assert.equal(ended.status, 0, ended.stderr);
});
