/**
 * Lets the stock `RedisSaver`, which needs the modules RedisJSON and RediSearch, run on plain Redis
 * for the comparison. Documents are stored as texts; nothing is indexed and nothing is
 * searched, so the measured cost is a lower bound.
 */
import { RedisSaver } from '@langchain/langgraph-checkpoint-redis';
import type { openClient } from '../bench-store.ts';

type Client = Awaited<ReturnType<typeof openClient>>;

/** Creates the stock saver over a client of plain Redis. */
export function createStockRedisSaver(client: Client): RedisSaver {
  const json = {
    set: (key: string, _path: string, document: unknown, options?: { readonly NX?: boolean }) =>
      client.set(key, JSON.stringify(document), options?.NX ? { NX: true } : { KEEPTTL: true }),
    async get(key: string): Promise<unknown> {
      const text = await client.get(key);
      return text === null ? null : JSON.parse(text);
    },
  };
  // The modules answer that the index exists: one short command, as here.
  const ft = { create: () => client.echo('ft.create') };
  const facade = new Proxy(client, {
    get(target, name) {
      if (name === 'json') return json;
      if (name === 'ft') return ft;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return new RedisSaver(facade);
}
