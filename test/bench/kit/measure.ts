import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { plainModule } from '../../support/plain-module.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import type { Bench, Line, Numbers, Scale, Site } from './bench.ts';
import type { StoreKind } from './bench-store.ts';
import { startDelayProxy } from './servers/delay-proxy.ts';

const PROBE = fileURLToPath(new URL('./probe.ts', import.meta.url));
const ROUND_TRIP_MS = 2;

/** Measures one bench on one store, with its own Redis and an append-only file, as in a careful deployment. */
export async function measure(
  bench: Bench,
  store: StoreKind,
  scale: Scale,
  probe: (site: Site) => Promise<Numbers> = bench.probe,
): Promise<readonly Line[]> {
  if (store === 'SQLite') {
    return bench.lines(await probe({ store, scale, redisUrl: '', slowRedisUrl: '' }), store);
  }
  const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'everysec']);
  const proxy = await startDelayProxy(redis.url.slice('unix://'.length), ROUND_TRIP_MS);
  const site = { store, scale, redisUrl: redis.url, slowRedisUrl: proxy.url };
  try {
    return bench.lines(await probe(site), store);
  } finally {
    await proxy.stop();
    await redis.stop();
  }
}

/** Probes in a separate process, without traces of another probe; Redis and the proxy to it run elsewhere. */
export function probeApart(name: string): (site: Site) => Promise<Numbers> {
  return async (site) => {
    const { entry, execArgv } = plainModule(PROBE);
    const child = fork(entry, [name, JSON.stringify(site)], { execArgv: [...execArgv] });
    const told = once(child, 'message').then(([numbers]) => numbers as Numbers);
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`The probe of ${name} on ${site.store} ended with ${code}.`);
    });
    failed.catch(() => {});
    const numbers = await Promise.race([told, failed]);
    child.disconnect();
    await failed.catch(() => {});
    return numbers;
  };
}
