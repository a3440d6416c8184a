import assert from 'node:assert/strict';
import { advanceTurnKey } from '../../../src/domain/ports/agenda.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import {
  createSqliteStore,
  type SqliteStore,
} from '../../../src/stores/sqlite/create-sqlite-store.ts';
import type { FencedSqliteSaver } from '../../../src/stores/sqlite/fenced-sqlite-saver.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { checkpointerSpec, FenceGivingSaver } from '../../support/store/checkpointer-spec.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const releases = new Map<FenceGivingSaver<FencedSqliteSaver>, () => Promise<void>>();

checkpointerSpec(
  // By this name the suite knows that SQLite keeps whole channel values, not the changed ones.
  '@langchain/langgraph-checkpoint-sqlite',
  async () => {
    const { path: dataDir, remove } = await makeTempDir();
    const store = createSqliteStore({ dataDir, clock: createManualClock() });
    const saver = new FenceGivingSaver(store.saver, fencesOf(store));
    releases.set(saver, async () => {
      await store.close();
      await remove();
    });
    return saver;
  },
  async (saver) => {
    await releases.get(saver)?.();
  },
);

function fencesOf({ agenda }: SqliteStore): (thread: string) => Promise<number> {
  const fences = new Map<string, number>();
  return async (thread) => {
    const known = fences.get(thread);
    if (known !== undefined) return known;
    await agenda.wake([{ key: advanceTurnKey(thread as ThreadKey), dueAt: 0 }]);
    const lease = await claimOne(agenda, 0, Number.MAX_SAFE_INTEGER);
    assert.equal(lease?.key.id, thread);
    fences.set(thread, lease.fence);
    return lease.fence;
  };
}
