/**
 * A worker process that suspends itself (SIGSTOP) at a named point of its
 * work, and resumes on SIGCONT. The note of a tool call, or the text of the message, names the
 * point. It prints its events, one per line.
 */
import { appendFileSync } from 'node:fs';
import type { Step } from '../../../src/domain/calls/transitions.ts';
import type { SettledTurn } from '../../../src/domain/threads/message.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { createReplica, threadOf } from '../../support/desk/replica.ts';
import { until } from '../../support/until.ts';
import { effectTools, RUN_ALL, type StopPoint, type WorkerOrder } from './stop-points.ts';

const order: WorkerOrder = JSON.parse(process.argv[2] ?? '');
const clock = createSystemClock();
const silent = () => {};
const stoppedAt = new Set<string>();
const tell = (line: string) => process.stdout.write(`${line}\n`);

/** Suspends once for each item that asks for this point; the following code runs after SIGCONT. */
function stopAt(point: StopPoint, asked: string, id: string): void {
  if (asked !== point || stoppedAt.has(id)) return;
  stoppedAt.add(id);
  process.stdout.write(`stops at ${point}\n`, () => {});
  process.kill(process.pid, 'SIGSTOP');
  void replica.worker.idle().then(() => tell(`idle after ${point}`));
}

function textOf({ messages: [first] }: SettledTurn): string {
  return first?.role === 'user' ? first.text : '';
}

const replica = await createReplica({
  async openStore(onWake) {
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const store =
      'dataDir' in order
        ? createSqliteStore({ dataDir: order.dataDir, clock, onWake })
        : await createRedisStore({ url: order.url, prefix: order.prefix, clock, log, onWake });
    const { ledger, history } = store;
    const noteOf = (step: Step | undefined) => {
      const { note }: { note?: string } = JSON.parse(step?.call.args ?? '{}');
      return { note: note ?? '', id: step?.call.id ?? '' };
    };
    return {
      ...store,
      ledger: {
        ...ledger,
        async write(before, steps, effects) {
          const [step] = steps;
          const { note, id } = noteOf(step);
          if (step?.cause === 'claim') stopAt('claim', note, id);
          if (step?.cause === 'finish') stopAt('finish', note, id);
          const isWritten = await ledger.write(before, steps, effects);
          if (step?.cause === 'claim') stopAt('claimed', note, id);
          return isWritten;
        },
      },
      history: {
        ...history,
        async append(thread, turn, effects, fence) {
          stopAt('history', textOf(turn), turn.id);
          await history.append(thread, turn, effects, fence);
        },
      },
    };
  },
  modelUrl: order.modelUrl,
  tools: effectTools((note, key) => {
    appendFileSync(order.effects, `${note} ${key}\n`, { flush: true });
    stopAt('run', note, key);
  }),
  gate: RUN_ALL,
  leaseMs: order.leaseMs,
});
const { chat } = replica;
const say = chat.postOutboxMessage;
chat.postOutboxMessage = async (each, how) => {
  if (each.kind === 'answer') tell(`says in ${each.thread}: ${each.text}`);
  return await say(each, how);
};
replica.worker.start();
tell('ready');
if ('asks' in order) {
  for (const [n, text] of order.asks.entries()) {
    await replica.ask(threadOf(n), text);
    const { inbox, ledger } = replica.store;
    await until(async () => (await inbox.threadsWithMessages()).length === 0, 5);
    const calls = await ledger.ofThread(threadOf(n));
    tell(`ends ${text}: ${calls.map(({ status }) => status).join(' ')}`);
  }
}
