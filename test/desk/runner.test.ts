import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createRunner } from '../../src/desk/runner.ts';
import { type Agenda, redrawKey } from '../../src/domain/agenda.ts';
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { callRef } from '../support/call-ref.ts';
import { claimOne } from '../support/claim-one.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { IDLE_HANDLERS } from './idle-handlers.ts';

const nothing = async () => {};

async function runnerOf(
  t: TestContext,
  redraw: (signal: AbortSignal) => Promise<void>,
  watch = (agenda: Agenda) => agenda,
) {
  const clock = createManualClock();
  const folder = await makeTempDir();
  const store = createSqliteStore({ dataDir: folder.path, clock });
  t.after(async () => {
    await store.close();
    await folder.remove();
  });
  const runner = createRunner({
    agenda: watch(store.agenda),
    clock,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    handlers: { ...IDLE_HANDLERS, redraw: (_id, { signal }) => redraw(signal) },
  });
  await store.agenda.wake([{ key: redrawKey(callRef('call_1')), dueAt: clock.now() }]);
  return { clock, runner, store };
}

describe('the stop of the runner', () => {
  it('lets running work end, and claims nothing more', async (t) => {
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
    await store.agenda.wake([{ key: redrawKey(callRef('call_2')), dueAt: clock.now() }]);
    runner.nudge();
    end();
    await stopped;
    assert.equal(begun, 1);
  });

  it('aborts what has not ended after its grace, and waits for nothing that ignores it', async (t) => {
    let signal: AbortSignal | undefined;
    const { runner, clock } = await runnerOf(t, (given) => {
      signal = given;
      return new Promise(() => {});
    });
    runner.start();
    await until(() => signal !== undefined);
    const stopped = runner.stop(25_000);
    // Until its timers stand, the time must not move.
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
  it('asks its store once, and one more round finds nothing', async (t) => {
    const rounds: string[][] = [];
    let round: string[] | undefined;
    const note = (what: string): void => {
      if (!round) {
        const fresh: string[] = [];
        rounds.push(fresh);
        round = fresh;
        // What is asked in one turn of the loop goes to a store far away as one.
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

describe('work that ends its process each time', () => {
  it('is begun ten times, and parked then, visibly', async (t) => {
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
      (await store.agenda.parked()).map(({ reason }) => reason),
      ['The process that worked on this has died 10 times in a row.'],
    );
  });
});
