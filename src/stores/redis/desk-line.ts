/**
 * What the desk asks of Redis at once goes there at once: the scripts that are run in one turn of
 * the event loop are sent as one command, in their order. Each still happens whole or not at all,
 * and the failure of one is its own.
 */
import { StoreUnavailableError } from '../../domain/store.ts';
import { deskBatch } from './desk-scripts.ts';
import { readList, readText } from './read-reply.ts';
import type { Reply } from './redis-line.ts';
import { type RedisLink, type Script, toReplyError, withReceipt } from './redis-link.ts';

interface Order {
  readonly script: Script;
  readonly args: readonly string[];
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** More in one command would hold up the server's other clients. */
const MOST_AT_ONCE = 16;

/** Makes the link of one desk, whose keys all begin with the same name, over that of the connection. */
export function createDeskLine(link: RedisLink): RedisLink {
  const queues = new Map<string, Order[]>();
  const batch = deskBatch();

  async function send(desk: string, orders: readonly Order[]): Promise<void> {
    const [only] = orders;
    if (only && orders.length === 1) {
      link.run(only.script, desk, only.args).then(only.resolve, only.reject);
      return;
    }
    const script = batch.of(orders.map((order) => order.script));
    const args = orders.flatMap(({ script, args }) => {
      const all = withReceipt(script, args);
      return [batch.nameOf(script) ?? '', String(all.length), ...all];
    });
    try {
      const replies = readList(await link.run(script, desk, args));
      for (const [index, order] of orders.entries()) settle(order, replies[index] ?? null);
    } catch (error) {
      for (const { reject, script } of orders) reject(ofOne(error, script));
    }
  }

  return {
    run: (script, desk, args) => {
      // What takes its time has a patience of its own, and must not hold up the others.
      if (script.isBulk || batch.nameOf(script) === undefined) return link.run(script, desk, args);
      return new Promise<Reply>((resolve, reject) => {
        const queue = queues.get(desk);
        const order = { script, args, resolve, reject };
        if (queue) {
          queue.push(order);
          return;
        }
        const fresh = [order];
        queues.set(desk, fresh);
        // After the promises that are settled now: what they lead to belongs to the same turn.
        process.nextTick(() => {
          queues.delete(desk);
          for (let at = 0; at < fresh.length; at += MOST_AT_ONCE) {
            void send(desk, fresh.slice(at, at + MOST_AT_ONCE));
          }
        });
      });
    },
  };
}

/** What only reads has changed nothing, whatever went with it. */
function ofOne(error: unknown, { kind }: Script): unknown {
  if (!(error instanceof StoreUnavailableError) || kind !== 'read') return error;
  return new StoreUnavailableError(error.message, 'not-done', { cause: error });
}

function settle({ resolve, reject }: Order, reply: Reply): void {
  const [how, answer] = readList(reply);
  if (how === 1) resolve(answer ?? null);
  else reject(toReplyError(readText(answer)));
}
