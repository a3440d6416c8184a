/** Audits of both stores that are read by the command, in this process or in one of its own. */
import type { TestContext } from 'node:test';
import { createClient } from 'redis';
import { runCountersign } from '../../src/commands/run-countersign.ts';
import type { AuditDraft, AuditEntry } from '../../src/domain/audit.ts';
import { draftRemoval, draftSeal } from '../../src/domain/audit-notes.ts';
import { createAuditSeal } from '../../src/domain/seal.ts';
import type { InstallationKey } from '../../src/domain/secret-mark.ts';
import type { Store } from '../../src/domain/store.ts';
import { createFileKey } from '../../src/stores/installation-key.ts';
import { createRedisStore } from '../../src/stores/redis/create-redis-store.ts';
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { createManualClock } from '../support/manual-clock.ts';
import type { StoreKind } from '../support/open-redis.ts';
import { startRedis } from '../support/redis-server.ts';
import { makeTempDir } from '../support/temp-dir.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** How many times something was written, and the longest of it. */
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
  /** Appends a seal of what is there. */
  seal(): Promise<void>;
  /** Removes entries as the app does. */
  removeThrough(seq: number): Promise<void>;
  /** Changes an entry behind the app's back; undefined takes it out. */
  forge(seq: number, entry: AuditEntry | undefined): Promise<void>;
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
  const key = 'installationKey' in store ? store.installationKey : createFileKey(dir);
  const seal = createAuditSeal(await key.read());
  const env: Readonly<Record<string, string>> = redis
    ? { REDIS_URL: redis.url, REDIS_PREFIX: 'p' }
    : { DATA_DIR: dir };
  const entryOf = async (seq: number): Promise<AuditEntry> => {
    const [entry] = await store.audit.read(seq, 1);
    if (entry?.seq !== seq) throw new Error(`There is no entry ${seq}.`);
    return entry;
  };

  async function redisClient() {
    const client = createClient({ socket: { path: redis?.url.slice('unix://'.length) ?? '' } });
    await client.connect();
    return client;
  }

  return {
    installationKey: key,
    store,
    dir,
    env,
    call: (...args) => callIn(env, args),
    async seal() {
      await store.audit.append([draftSeal(await entryOf(await store.audit.newest()), seal, NOW)]);
    },
    async removeThrough(seq) {
      const last = await entryOf(seq);
      await store.audit.removeThrough(
        last,
        draftRemoval(last, { before: NOW, count: seq }, seal, NOW),
      );
    },
    async forge(seq, entry) {
      if (!redis) {
        const { db } = (store as ReturnType<typeof createSqliteStore>).saver;
        db.exec('DROP TRIGGER IF EXISTS audit_is_never_changed');
        db.exec('DROP TRIGGER IF EXISTS audit_is_never_deleted');
        if (!entry) db.prepare('DELETE FROM audit WHERE seq = ?').run(seq);
        else {
          const { actor, event, subject } = entry;
          db.prepare('UPDATE audit SET actor = ?, event = ?, subject = ? WHERE seq = ?').run(
            ...[actor, event, subject, seq],
          );
        }
        return;
      }
      const client = await redisClient();
      const list = 'p:{desk}:audit';
      await client.lSet(list, seq - 1, entry ? JSON.stringify(entry) : 'gone');
      if (!entry) await client.lRem(list, 1, 'gone');
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

/** Something to be remembered at a time. */
export function draftAt(at: number, patch: Partial<AuditDraft> = {}): AuditDraft {
  const detail = { from: 'pending', to: 'approved', reason: 'fine, “ok”' };
  return { at, event: 'call.approve', subject: 'call_x', actor: 'T1/U1', detail, ...patch };
}
