/** Audits of both stores, read by the command in this process or in its own. */
import type { TestContext } from 'node:test';
import { createClient } from 'redis';
import { runCountersign } from '../../../src/commands/run-countersign.ts';
import type { AuditDraft } from '../../../src/domain/audit/audit.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import type { InstallationKey } from '../../../src/domain/secrets/secret-mark.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import type { StoreKind } from '../../support/store/open-redis.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The number of writes, and the length of the longest. */
  readonly writes: number;
  readonly longest: number;
}

export interface AuditStage {
  readonly store: Store;
  readonly dir: string;
  readonly installationKey: InstallationKey;
  readonly env: Readonly<Record<string, string>>;
  /** Runs the command while the app has the store open. */
  call(...args: readonly string[]): Promise<Ended>;
  /** Changes the stored text of an entry behind the app's back; undefined removes it. */
  forge(seq: number, change: ((text: string) => string) | undefined): Promise<void>;
  /** Loses the installation's key. */
  loseKey(): Promise<void>;
}

const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/** The clock of these tests. */
export const NOW = Date.UTC(2026, 0, 31, 12);

/** Runs the command in this process. */
export async function callIn(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Ended> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCountersign(args, {
    env,
    clock: { now: () => NOW, schedule: () => silent },
    out: (text) => out.push(`${text}\n`),
    write: async (text) => void out.push(text),
    err: (text) => err.push(`${text}\n`),
  });
  const longest = Math.max(0, ...out.map(({ length }) => length));
  return { code, out: out.join(''), err: err.join(''), writes: out.length, longest };
}

/** Opens a store for a test, with the command beside it. */
export async function openAuditStage(t: TestContext, kind: StoreKind): Promise<AuditStage> {
  const { path: dir, remove } = await makeTempDir();
  const redis = kind === 'Redis' ? await startRedis() : undefined;
  const clock = createManualClock(NOW);
  const store = redis
    ? await createRedisStore({ url: redis.url, prefix: 'p', clock, log: SILENT })
    : createSqliteStore({ dataDir: dir, clock });
  t.after(async () => {
    await store.close();
    await redis?.stop();
    await remove();
  });
  const env: Readonly<Record<string, string>> = redis
    ? { REDIS_URL: redis.url, REDIS_PREFIX: 'p' }
    : { DATA_DIR: dir };
  async function redisClient() {
    const client = createClient({ socket: { path: redis?.url.slice('unix://'.length) ?? '' } });
    await client.connect();
    return client;
  }

  return {
    installationKey: store.installationKey,
    store,
    dir,
    env,
    call: (...args) => callIn(env, args),
    async forge(seq, change) {
      if (!redis) {
        const { db } = (store as ReturnType<typeof createSqliteStore>).saver;
        if (!change) db.prepare('DELETE FROM audit WHERE seq = ?').run(seq);
        else {
          const read = db
            .prepare<[number], string>('SELECT entry FROM audit WHERE seq = ?')
            .pluck();
          db.prepare('UPDATE audit SET entry = ? WHERE seq = ?').run(
            ...[change(read.get(seq) ?? ''), seq],
          );
        }
        return;
      }
      const client = await redisClient();
      const list = 'p:{desk}:audit';
      const text = (await client.lIndex(list, seq - 1)) ?? '';
      await client.lSet(list, seq - 1, change ? change(text) : 'gone');
      if (!change) await client.lRem(list, 1, 'gone');
      await client.disconnect();
    },
    async loseKey() {
      if (!redis) {
        const { rm } = await import('node:fs/promises');
        await rm(`${dir}/installation.key`);
        return;
      }
      const client = await redisClient();
      await client.del('p:{desk}:installation-key');
      await client.disconnect();
    },
  };
}

/** An audit entry with this time. */
export function draftAt(at: number, patch: Partial<AuditDraft> = {}): AuditDraft {
  const detail = { from: 'pending', to: 'approved', reason: 'fine, “ok”' };
  return { at, event: 'call.approve', subject: 'call_x', actor: 'T1/U1', detail, ...patch };
}
