/** The whole path from a message through an approval to the answer, on both sides, on the same store. */
import { join } from 'node:path';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { makeTempDir } from '../../support/temp-dir.ts';
import type { Site } from './bench.ts';
import { openBenchDesk } from './bench-desk.ts';
import { openClient } from './bench-store.ts';
import { createPeer } from './peer-agent.ts';
import { createStockRedisSaver } from './servers/redis-facade.ts';

/** A side that can run a cycle. */
export interface CycleSide {
  cycle(): Promise<void>;
  close(): Promise<void>;
}

/** Opens our side: the whole desk. */
export function openOurs(
  { store: kind }: Pick<Site, 'store'>,
  redisUrl: string,
): Promise<CycleSide> {
  return openBenchDesk({ kind, redisUrl, prefix: 'ours' });
}

/** Opens the compared side. The stock saver does not sync its writes to the disk, unless `isDurable`. */
export async function openPeer(
  { store }: Pick<Site, 'store'>,
  redisUrl: string,
  isDurable = false,
): Promise<CycleSide> {
  if (store === 'Redis') {
    const client = await openClient(redisUrl);
    const close = () => client.disconnect();
    return { ...createPeer(createStockRedisSaver(client)), close };
  }
  const { path, remove } = await makeTempDir();
  const saver = SqliteSaver.fromConnString(join(path, 'peer.db'));
  await saver.getTuple({ configurable: { thread_id: 'none' } });
  if (isDurable) saver.db.pragma('synchronous = FULL');
  return {
    ...createPeer(saver),
    async close() {
      saver.db.close();
      await remove();
    },
  };
}

/** Runs cycles, and returns the average time of one in milliseconds. */
export async function timeCycles({ cycle }: CycleSide, count: number): Promise<number> {
  const before = performance.now();
  for (let i = 0; i < count; i += 1) await cycle();
  return (performance.now() - before) / count;
}
