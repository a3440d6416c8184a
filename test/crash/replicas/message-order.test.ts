/** Two replicas, each of which got one of two messages that arrived out of order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { messageId } from '../../../src/domain/threads/message.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { createReplica, threadOf } from '../../support/desk/replica.ts';
import { createMockModel, sayText } from '../../support/servers/mock-model.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { until } from '../../support/until.ts';

const silent = () => {};
const LOG = { debug: silent, info: silent, warn: silent, error: silent };

test('messages of a thread keep their order when each reaches a different replica', async (t) => {
  const server = await startRedis();
  const model = await createMockModel(() => sayText('Done.'));
  const clock = createSystemClock();
  const open = () =>
    createReplica({
      openStore: (onWake) =>
        createRedisStore({ url: server.url, prefix: 'order', clock, log: LOG, onWake }),
      modelUrl: model.url,
      tools: [],
      gate: () => ({ kind: 'ask', route: REQUESTER_ROUTE }),
    });
  const [one, two] = await Promise.all([open(), open()]);
  t.after(async () => {
    await Promise.all([one.stop(), two.stop()]);
    await model.stop();
    await server.stop();
  });
  for (const replica of [one, two]) replica.worker.start();
  const thread = threadOf(1);
  const [team = '', channel = '', root = ''] = thread.split('/');
  await one.ask(thread, 'hello');
  await until(() => model.requests.length === 1);

  const say = (n: number, text: string) => {
    const ts = `${root.slice(0, -1)}${n}`;
    const id = messageId({ team, channel, ts });
    return { id, thread, author: REQUESTER, ts, text, receivedAt: clock.now() };
  };
  await two.desk.receive(say(2, 'the second'));
  await one.desk.receive(say(1, 'the first'));
  await until(() => model.requests.length === 3);
  const asked = model.requests.at(-1)?.messages ?? [];
  const wrote = asked.flatMap(({ role, content }) => (role === 'user' ? [String(content)] : []));
  assert.match(wrote.at(-2) ?? '', /the first/);
  assert.match(wrote.at(-1) ?? '', /the second/);
});
