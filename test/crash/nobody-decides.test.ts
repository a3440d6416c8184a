/** Days in which nobody decides, and the process dies again and again: silence is not a decision. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ACTIONS } from '../../src/slack/transport/ids.ts';
import { type RedisServer, startRedis } from '../support/store/redis-server.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { checkRecord } from './check/check-record.ts';
import { bundleWorker, type WorkerBundle } from './drive/bundle-worker.ts';
import { startLeanProcess } from './drive/lean-process.ts';
import { createOutsideWorld } from './drive/outside-world.ts';
import { requestTurn } from './drive/people.ts';
import { createSession } from './drive/play-run.ts';
import { STORES } from './drive/points.ts';
import { createRecorder } from './drive/recorder.ts';
import type { StoreAddress } from './lean/protocol.ts';
import { writeScript } from './lean/scripted-model.ts';
import { readRecord } from './record.ts';

const HOUR_MS = 3_600_000;
const RESTARTS = 5;

describe('nobody decides', () => {
  let bundle: WorkerBundle;
  let redis: RedisServer;
  before(async () => {
    bundle = await bundleWorker();
    redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  });
  after(async () => {
    await redis.stop();
    await bundle.remove();
  });

  for (const store of STORES) {
    it(`for a day with ${RESTARTS} kills on ${store}: nothing runs, the agent learns that nobody decided, and each card closes once`, async (t) => {
      const { path: dir, remove } = await makeTempDir();
      t.after(remove);
      const address: StoreAddress =
        store === 'sqlite'
          ? { kind: 'sqlite', dataDir: `${dir}/data` }
          : { kind: 'redis', url: redis.url, prefix: 'nobody' };
      const recorder = createRecorder(dir);
      let process = startLeanProcess(bundle.path);
      const lane = {
        process() {
          if (!process.isAlive()) process = startLeanProcess(bundle.path);
          return process;
        },
      };
      const { serve } = createOutsideWorld(recorder);
      const session = createSession({ address, lane, recorder, kills: [], serve });

      await session.whileAlive(async () => {
        await session.ask(requestTurn(twoCalls(), recorder.now()));
        await session.heal();
      });
      for (let restart = 0; restart < RESTARTS; restart += 1) {
        await session.whileAlive(async () => {
          await session.pass(5 * HOUR_MS);
          await session.heal();
          await session.kill();
          await session.heal();
        });
        await session.whileAlive(() => session.heal());
      }
      await session.end();
      await process.end();
      recorder.close();

      const record = readRecord(dir);
      assert.deepEqual(checkRecord(record), []);
      assert.equal(record.history.filter(({ op }) => op === 'kill').length, RESTARTS);
      assert.deepEqual(record.effects, []);
      const { calls, turns } = record.dumps.at(-1) ?? { calls: [], turns: {} };
      assert.deepEqual(
        calls.map(({ tool, status }) => [tool, status]),
        [
          ['pay', 'expired'],
          ['tag', 'expired'],
        ],
      );
      const told = Object.values(turns)
        .flat()
        .flatMap(({ messages }) => messages)
        .filter(({ role }) => role === 'tool');
      assert.equal(told.length, 2);
      for (const { text } of told)
        assert.match(text, /nobody decided in time\. This is not a denial/);
      for (const { id } of calls) {
        const cards = record.slack.flatMap((entry) => (entry.op === 'card' ? [entry] : []));
        const closed = cards.filter(({ callId, text }) => callId === id && /Expired/.test(text));
        const buttons = closed.map((card) => card.buttons.map(({ action }) => action));
        assert.deepEqual(buttons, [[ACTIONS.askAgain, ACTIONS.open]]);
      }
    });
  }
});

function twoCalls(): string {
  const args = { mark: 'a', text: 'nobody looks' };
  return writeScript({
    steps: [
      [
        { tool: 'pay', args },
        { tool: 'tag', args },
      ],
    ],
    words: 'I wait for you.',
  });
}
