/** Many runs, each killed somewhere: planned, played in a few lanes at a time, and checked. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { checkRecord } from '../check/check-record.ts';
import type { Finding } from '../check/finding.ts';
import type { StoreAddress } from '../lean/protocol.ts';
import { readRecord } from '../record.ts';
import { bundleWorker } from './bundle-worker.ts';
import { type LeanProcess, startLeanProcess } from './lean-process.ts';
import { planRun, type RunPlan } from './plan-run.ts';
import { playRun } from './play-run.ts';
import { combine, type StoreKind } from './points.ts';
import { createRandom } from './random.ts';
import { createRecorder } from './recorder.ts';

export interface TortureOptions {
  readonly seed: number;
  readonly stores: readonly StoreKind[];
  /** How many runs; undefined: each combination `rounds` times. */
  readonly runs?: number | undefined;
  /** (Default: 1.) */
  readonly rounds?: number;
  /** How many at a time. (Default: 2.) */
  readonly lanes?: number;
  /** Told of each run as it ends. */
  readonly onRun?: (report: RunReport) => void;
}

export interface RunReport {
  readonly plan: RunPlan;
  /** Where what it left behind is; kept where something was found. */
  readonly dir: string;
  readonly findings: readonly Finding[];
  readonly kills: number;
  readonly tookMs: number;
  readonly unknowns: number;
}

/** Plays the runs that the options ask for, and reports each. */
export async function torture(options: TortureOptions): Promise<readonly RunReport[]> {
  const base = await mkdtemp(join(tmpdir(), 'countersign-torture-'));
  const bundle = await bundleWorker();
  const redis = options.stores.includes('redis')
    ? await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    : undefined;
  const queue = [...planRuns(options).entries()];
  const reports: RunReport[] = [];
  try {
    const lanes = Array.from({ length: options.lanes ?? 2 }, async () => {
      const lane = createLane(bundle.path);
      try {
        for (let next = queue.shift(); next; next = queue.shift()) {
          const [index, plan] = next;
          const report = await playAndCheck(plan, join(base, `run-${index + 1}`), lane, redis);
          reports.push(report);
          options.onRun?.(report);
        }
      } finally {
        await lane.end();
      }
    });
    await Promise.all(lanes);
  } finally {
    await redis?.stop();
    await bundle.remove();
  }
  if (reports.every(({ findings }) => findings.length === 0)) await rm(base, { recursive: true });
  return reports;
}

function planRuns({ seed, stores, runs, rounds = 1 }: TortureOptions): readonly RunPlan[] {
  const random = createRandom(seed);
  const all: RunPlan[] = [];
  const enough = runs ?? combine(stores).length * rounds;
  while (all.length < enough) {
    for (const each of random.shuffle(combine(stores))) {
      all.push(planRun(each, random.below(2 ** 31)));
    }
  }
  return all.slice(0, enough);
}

/** A lane goes on in the process in which its last run has ended; nothing of that run is left in it. */
function createLane(path: string) {
  let current: LeanProcess | undefined;
  return {
    process() {
      if (!current?.isAlive()) current = startLeanProcess(path);
      return current;
    },
    async end() {
      await current?.end();
    },
    async drop() {
      await current?.kill();
    },
  };
}

async function playAndCheck(
  plan: RunPlan,
  dir: string,
  lane: ReturnType<typeof createLane>,
  redis: RedisServer | undefined,
): Promise<RunReport> {
  const began = performance.now();
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'plan.json'), JSON.stringify(plan, null, 2));
  const recorder = createRecorder(dir);
  const findings: Finding[] = [];
  let kills = 0;
  try {
    const end = await playRun(plan, addressOf(plan, dir, redis), lane, recorder);
    kills = end.kills;
    if (kills === 0) {
      const what = `the point “${plan.kills[0]?.point}” was not reached: ${JSON.stringify(end.passed)}`;
      findings.push({ invariant: 'harness', what });
    }
  } catch (error) {
    recorder.deed({
      op: 'stuck',
      why: error instanceof Error ? (error.stack ?? '') : String(error),
    });
    await lane.drop();
  } finally {
    recorder.close();
  }
  const record = readRecord(dir);
  findings.push(...checkRecord(record));
  if (findings.length === 0) await rm(dir, { recursive: true });
  const unknowns = record.dumps
    .at(-1)
    ?.audit.filter(({ event, detail }) => event === 'call.recover' && detail.to === 'unknown');
  return {
    plan,
    dir,
    findings,
    kills,
    tookMs: performance.now() - began,
    unknowns: unknowns?.length ?? 0,
  };
}

function addressOf({ store }: RunPlan, dir: string, redis: RedisServer | undefined): StoreAddress {
  if (store === 'sqlite') return { kind: 'sqlite', dataDir: join(dir, 'data') };
  if (!redis) throw new Error('This run wants Redis, and none was started.');
  return { kind: 'redis', url: redis.url, prefix: dir.split('/').at(-1) ?? dir };
}
