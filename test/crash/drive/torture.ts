/** Many runs, each killed at some point: planned, played in a few lanes at a time, and checked. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { checkRecord } from '../check/check-record.ts';
import type { Finding } from '../check/finding.ts';
import type { StoreAddress } from '../lean/protocol.ts';
import { type RunRecord, readRecord } from '../record.ts';
import { bundleWorker } from './bundle-worker.ts';
import { type LeanProcess, startLeanProcess } from './lean-process.ts';
import { losePower } from './lose-power.ts';
import type { RunPlan } from './plan-run.ts';
import { playRun } from './play-run.ts';
import { createRandom } from './random.ts';
import { createRecorder } from './recorder.ts';

/** The result of a run. */
export interface RunReport {
  readonly plan: RunPlan;
  /** The folder of its record; kept if there are findings. */
  readonly dir: string;
  /** Counter-examples, in the order of the invariants. */
  readonly findings: readonly Finding[];
  readonly kills: number;
  /** How many calls became unknown. */
  readonly unknowns: number;
  /** The longest time until it was idle, by the clock of the run. */
  readonly restMs: number;
}

/** Plays runs, and reports each as it ends. */
export async function torture(
  plans: readonly RunPlan[],
  options: {
    /** How many run at a time. (Default: 2.) */
    readonly lanes?: number | undefined;
    readonly onRun?: ((report: RunReport) => void) | undefined;
  } = {},
): Promise<readonly RunReport[]> {
  const base = await mkdtemp(join(tmpdir(), 'countersign-torture-'));
  const bundle = await bundleWorker();
  const redis = plans.some(({ column }) => column === 'redis')
    ? await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    : undefined;
  const queue = [...plans.entries()];
  const reports: RunReport[] = [];

  async function playLane(): Promise<void> {
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
  }

  try {
    await Promise.all(Array.from({ length: options.lanes ?? 2 }, playLane));
  } finally {
    await redis?.stop();
    await bundle.remove();
  }
  if (reports.every(({ findings }) => findings.length === 0)) await rm(base, { recursive: true });
  return reports;
}

/** A lane reuses the process in which its last run ended; no state of that run is left in it. */
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
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'plan.json'), JSON.stringify(plan, null, 2));
  const recorder = createRecorder(dir);
  const findings: Finding[] = [];
  try {
    const address = addressOf(plan, dir, redis);
    const { kills, passed } = await playRun(plan, address, lane, recorder, deathOf(plan, address));
    if (kills === 0) {
      const what = `“${plan.kills[0]?.point}” was not reached: ${JSON.stringify(passed)}`;
      findings.push({ invariant: 'harness', what });
    }
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    recorder.deed({ op: 'stuck', why });
    await lane.drop();
  } finally {
    recorder.close();
  }
  const record = readRecord(dir);
  findings.push(...checkRecord(record));
  if (findings.length === 0) await rm(dir, { recursive: true });
  return { plan, dir, findings, ...countsOf(record) };
}

function countsOf({ history, dumps }: RunRecord) {
  const audit = dumps.at(-1)?.audit ?? [];
  return {
    kills: history.filter(({ op }) => op === 'kill').length,
    unknowns: audit.filter(
      ({ event, detail }) => event === 'call.recover' && detail.to === 'unknown',
    ).length,
    restMs: Math.max(0, ...history.map((entry) => (entry.op === 'healed' ? entry.tookMs : 0))),
  };
}

function addressOf(
  { column, powerLoss }: RunPlan,
  dir: string,
  redis: RedisServer | undefined,
): StoreAddress {
  if (column !== 'redis') {
    const synced = powerLoss && join(dir, 'synced');
    return { kind: 'sqlite', dataDir: join(dir, 'data'), synced };
  }
  if (!redis) throw new Error('This run wants Redis, and none was started.');
  return { kind: 'redis', url: redis.url, prefix: dir.split('/').at(-1) ?? dir };
}

/** What happens to the disk when a process of the run dies. */
function deathOf({ powerLoss }: RunPlan, address: StoreAddress): (() => void) | undefined {
  if (!powerLoss || address.kind !== 'sqlite' || address.synced === undefined) return undefined;
  const { dataDir, synced } = address;
  const random = createRandom(powerLoss.seed);
  return () => losePower(dataDir, synced, powerLoss.tail, random);
}
