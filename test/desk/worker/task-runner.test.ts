import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { LEASE_MS } from '../../../src/desk/deps.ts';
import { createTaskRunner } from '../../../src/desk/worker/task-runner.ts';
import { type Agenda, renderCardKey, runCallKey } from '../../../src/domain/ports/agenda.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { callRef } from '../../support/builders/call-ref.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';
import { IDLE_HANDLERS } from '../support/idle-handlers.ts';

const nothing = async () => {};

async function runnerOf(
  t: TestContext,
  redraw: (signal: AbortSignal) => Promise<void>,
  watch = (agenda: Agenda) => agenda,
  keyOf: typeof renderCardKey = renderCardKey,
) {
  const clock = createManualClock();
  const folder = await makeTempDir();
  const store = createSqliteStore({ dataDir: folder.path, clock });
  t.after(async () => {
    await store.close();
    await folder.remove();
  });
  const runner = createTaskRunner({
    agenda: watch(store.agenda),
    clock,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    handlers: {
      ...IDLE_HANDLERS,
      redraw: (_id, { signal }) => redraw(signal),
      run: (_id, { signal }) => redraw(signal),
    },
  });
  await store.agenda.wake([{ key: keyOf(callRef('call_1')), dueAt: clock.now() }]);
  return { clock, runner, store };
}

describe('stopping the runner', () => {
  it('lets running tasks end, and claims no more', async (t) => {
    let end = () => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    let begun = 0;
    const { runner, store, clock } = await runnerOf(t, async () => {
      begun += 1;
      await work;
    });
    runner.start();
    await until(() => begun === 1);
    const stopped = runner.stop(25_000);
    await store.agenda.wake([{ key: renderCardKey(callRef('call_2')), dueAt: clock.now() }]);
    runner.nudge();
    end();
    await stopped;
    assert.equal(begun, 1);
  });

  it('aborts tasks after the grace period, and does not wait for those that ignore it', async (t) => {
    let signal: AbortSignal | undefined;
    const { runner, clock } = await runnerOf(t, (given) => {
      signal = given;
      return new Promise(() => {});
    });
    runner.start();
    await until(() => signal !== undefined);
    const stopped = runner.stop(25_000);
    // The clock must not move until the runner's timers are set.
    await until(() => clock.pendingCount >= 3);
    await clock.advance(24_999);
    assert.equal(signal?.aborted, false);
    await clock.advance(1);
    assert.equal(signal?.aborted, true);
    await clock.advance(2_000);
    await stopped;
  });
});

describe('a round of the runner', () => {
  it('asks the store once, and a second round finds nothing', async (t) => {
    const rounds: string[][] = [];
    let round: string[] | undefined;
    const note = (what: string): void => {
      if (!round) {
        const fresh: string[] = [];
        rounds.push(fresh);
        round = fresh;
        // Requests of one event loop turn reach a remote store as one.
        queueMicrotask(() => {
          round = undefined;
        });
      }
      round.push(what);
    };
    const { runner } = await runnerOf(t, nothing, (agenda) => ({
      ...agenda,
      claim(now, leaseMs, most) {
        note('claim');
        return agenda.claim(now, leaseMs, most);
      },
    }));
    runner.start();
    await runner.idle();
    assert.ok(rounds.length <= 2, `${rounds.length} rounds`);
    for (const asked of rounds) assert.deepEqual(asked, ['claim']);
  });
});

describe('the lease of a running task', () => {
  const PERIOD_MS = LEASE_MS / 3;

  /** Starts a task that ends when told to, and records the renewals; the first `failures` of them fail. */
  async function workingRunner(t: TestContext, failures = 0, keyOf = renderCardKey) {
    const renewedAt: number[] = [];
    const renewedFor: number[] = [];
    const ends: (() => void)[] = [];
    let left = failures;
    const { clock, ...made } = await runnerOf(
      t,
      () => new Promise((resolve) => ends.push(resolve)),
      (agenda) => ({
        ...agenda,
        async renew(lease, now, leaseMs) {
          renewedAt.push(now - begin);
          renewedFor.push(leaseMs);
          left -= 1;
          if (left >= 0) throw new Error('The store is away.');
          return await agenda.renew(lease, now, leaseMs);
        },
      }),
      keyOf,
    );
    const begin = clock.now();
    made.runner.start();
    await until(() => ends.length === 1);
    return { ...made, clock, ends, renewedAt, renewedFor };
  }

  it('survives an event loop that is blocked for some seconds', () => {
    assert.ok(LEASE_MS - PERIOD_MS >= 8_000);
  });

  it('is renewed three times per lease', async (t) => {
    const { clock, renewedAt } = await workingRunner(t);
    await clock.advance(LEASE_MS);
    assert.deepEqual(renewedAt, [PERIOD_MS, 2 * PERIOD_MS, LEASE_MS]);
  });

  it('is renewed for half a minute while a tool runs, to survive a Redis failover', async (t) => {
    const { clock, renewedAt, renewedFor } = await workingRunner(t, 0, runCallKey);
    await clock.advance(PERIOD_MS + 10_000);
    assert.deepEqual(renewedAt, [PERIOD_MS, PERIOD_MS + 10_000]);
    assert.deepEqual(renewedFor, [30_000, 30_000]);
  });

  it('is renewed again one second after a failed renewal', async (t) => {
    const { clock, renewedAt } = await workingRunner(t, 2);
    await clock.advance(PERIOD_MS + 2_000);
    assert.deepEqual(renewedAt, [PERIOD_MS, PERIOD_MS + 1_000, PERIOD_MS + 2_000]);
  });

  it('is renewed as often while one short task follows another in a thread', async (t) => {
    const { clock, ends, renewedAt, runner, store } = await workingRunner(t);
    for (let n = 2; n <= 9; n += 1) {
      await clock.advance(PERIOD_MS / 2);
      const key = renderCardKey({ id: `call_${n}`, thread: THREAD });
      await store.agenda.wake([{ key, dueAt: clock.now() }]);
      runner.nudge();
      await until(() => ends.length === n);
      ends[n - 2]?.();
    }
    const begun = PERIOD_MS / 2;
    const times = [1, 2, 3].map((n) => begun + n * PERIOD_MS);
    assert.deepEqual(renewedAt.slice(0, 3), times);
  });
});

describe('a task that kills its process each time', () => {
  it('is started ten times, and then becomes a dead letter', async (t) => {
    let begun = 0;
    const { runner, store, clock } = await runnerOf(t, async () => {
      begun += 1;
    });
    const leaseMs = 1_000;
    for (let death = 0; death < 10; death += 1) {
      assert.ok(await claimOne(store.agenda, clock.now(), leaseMs));
      await clock.advance(leaseMs);
    }
    runner.start();
    await runner.idle();
    await runner.stop(0);
    assert.equal(begun, 0);
    assert.deepEqual(
      (await store.agenda.deadLetters()).map(({ reason }) => reason),
      ['The process that worked on this has died 10 times in a row.'],
    );
  });
});
