import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';
import { createObedientModel, effectsOf, endWorker, startWorker } from './worker-process.ts';

const LEASE_MS = 700;

test('on SQLite, a single process suspended past its leases resumes its work and asks nobody', async (t) => {
  const folder = await makeTempDir();
  t.after(folder.remove);
  const model = await createObedientModel();
  t.after(() => model.stop());
  const effects = join(folder.path, 'effects');
  const points = ['claim', 'claimed', 'run', 'finish'];
  const worker = await startWorker({
    dataDir: join(folder.path, 'data'),
    modelUrl: model.url,
    effects,
    leaseMs: LEASE_MS,
    asks: [...points.map((point) => `act ${point}`), 'history'],
  });
  t.after(() => endWorker(worker));
  const clock = createSystemClock();
  for (const point of [...points, 'history']) {
    await worker.line(`stops at ${point}`);
    const over = clock.now() + 1.5 * LEASE_MS;
    await until(() => clock.now() > over, 20);
    worker.child.kill('SIGCONT');
    await worker.line(point === 'history' ? 'ends history: ' : `ends act ${point}: succeeded`);
  }
  await worker.line('idle after history');
  await endWorker(worker);
  const done = (await effectsOf(effects)).map((line) => line.split(' ')[0]);
  assert.deepEqual(done, points);
  const answers = worker.lines.filter((line) => /^says in .*: (Heard|The answer)/.test(line));
  assert.equal(answers.length, points.length + 1);
});
