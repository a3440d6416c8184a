import { join } from 'node:path';
import type { Person } from '../../src/domain/people/person.ts';
import type { Place } from '../support/app/scene.ts';
import { type Stage, setStage } from '../support/app/stage.ts';
import { sayCalls, sayText } from '../support/servers/mock-model.ts';
import { type Bench, median } from './kit/bench.ts';
import { openBenchStore, type StoreKind } from './kit/bench-store.ts';
import { memoryOfDescendant } from './kit/memory-of-children.ts';
import { seedPending } from './kit/seed-pending.ts';

/** How long after the first click requests to Slack are still counted. */
const WATCH_MS = 1_000;
const QUICK_WATCH_MS = 100;
const MB = 1024 * 1024;

interface Restart {
  readonly seconds: number;
  readonly memory: number;
  readonly slackCalls: number;
}

/** Measures a start with ten thousand pending calls: the real app, in its own process, on the simulated workspace. */
export const pending: Bench = {
  stores: ['SQLite', 'Redis'],

  async probe({ store, redisUrl, scale }) {
    const stage = await setStage(
      'http',
      store === 'Redis' ? { REDIS_URL: redisUrl, REDIS_PREFIX: 'pending' } : {},
      'bin/start.js',
    );
    stage.model.script(({ messages }, index) =>
      messages.at(-1)?.role === 'tool' ? sayText('It is written.') : write(index),
    );
    const watchMs = scale.isQuick ? QUICK_WATCH_MS : WATCH_MS;
    const few: Restart[] = [];
    const many: Restart[] = [];
    const places: Place[] = [];
    for (let i = 0; i < 2 * scale.rounds; i += 1) places.push(await waitForCard(stage));
    for (const place of places.splice(0, scale.rounds))
      few.push(await restart(stage, place, watchMs));
    await stage.app().stop();
    await seed(stage, store, redisUrl, scale.isQuick ? 40 : 10_000);
    for (const place of places) many.push(await restart(stage, place, watchMs));
    await stage.close();
    const of = (key: keyof Restart, restarts: Restart[]) =>
      median(restarts.map((each) => each[key]));
    return {
      seconds: of('seconds', many),
      secondsIdle: of('seconds', few),
      memory: (of('memory', many) - of('memory', few)) / MB,
      slackCalls: of('slackCalls', many),
      slackCallsIdle: of('slackCalls', few),
    };
  },

  lines: (numbers, store) => [
    {
      what: '10,000 pending calls: restart → first handled click',
      store,
      ours: numbers.seconds ?? Number.NaN,
      baseline: undefined,
      unit: 's',
      goal: 3,
      against: `a limit (with none pending: ${numbers.secondsIdle?.toFixed(2)} s)`,
    },
    {
      what: '10,000 pending calls: memory over idle',
      store,
      ours: numbers.memory ?? Number.NaN,
      baseline: undefined,
      unit: 'MB',
      goal: 100,
      against: 'a limit',
    },
    {
      what: '10,000 pending calls: Slack calls from the restart to 1 s after the click',
      store,
      ours: numbers.slackCalls ?? Number.NaN,
      baseline: numbers.slackCallsIdle,
      unit: 'calls',
      goal: 1.5,
      against: 'the same restart with none pending',
    },
  ],
};

/** Each call has its own file: a call whose file changed after its approval is asked about again. */
function write(index: number) {
  const args = { path: `notes/${index}.txt`, content: 'Ship the release at noon.' };
  return sayCalls([{ name: 'write_file', args: JSON.stringify(args) }]);
}

async function waitForCard(stage: Stage): Promise<Place> {
  const place = await stage.ask('requester', 'please write the note of today');
  await stage.card(place, 'Waiting for a decision');
  return place;
}

/** Stops the app, starts it again, and presses at once. */
async function restart(stage: Stage, place: Place, watchMs: number): Promise<Restart> {
  const card = await stage.card(place, 'Waiting for a decision');
  await stage.app().stop();
  const calls = stage.workspace.journal.length;
  const before = performance.now();
  await stage.startAgain();
  await stage.press('requester', card, 'call.approve');
  await stage.card(place, ':white_check_mark:');
  const seconds = (performance.now() - before) / 1_000;
  const memory = memoryOfDescendant('bin/start.js');
  await new Promise((resolve) => setTimeout(resolve, watchMs));
  return { seconds, memory, slackCalls: stage.workspace.journal.length - calls };
}

async function seed(
  { folder, workspace }: Stage,
  kind: StoreKind,
  redisUrl: string,
  count: number,
): Promise<void> {
  const dataDir = join(folder, 'data');
  const { store, clock, close } = await openBenchStore({
    kind,
    redisUrl,
    prefix: 'pending',
    dataDir,
    workspace: workspace.team.id,
  });
  const requester: Person = { team: workspace.team.id, user: workspace.member('requester').id };
  await seedPending({ store, clock, count, requester });
  await close();
}
