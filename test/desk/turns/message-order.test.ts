import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { msUntilOrdered, withOrderDelay } from '../../../src/desk/turns/messages/message-order.ts';
import { type InboxMessage, messageId } from '../../../src/domain/threads/message.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { inTurn } from '../../support/sample.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { type StoreKind, storeOf } from '../../support/store/open-redis.ts';
import { until } from '../../support/until.ts';

const ROOT = THREAD.split('/')[2] ?? '';
/** The n-th message after the one that started the thread. */
const tsOf = (n: number) => `${ROOT.slice(0, -1)}${n}`;

function aMessage(desk: TestDesk, n: number, text: string): InboxMessage {
  const ts = n === 0 ? ROOT : tsOf(n);
  const id = messageId({ team: 'T1', channel: 'C1', ts });
  return { id, thread: THREAD, author: REQUESTER, ts, text, receivedAt: desk.clock.now() };
}

/** The messages of people, in the order of the model's last request. */
function written(desk: TestDesk): readonly string[] {
  const messages = desk.model.requests.at(-1)?.messages ?? [];
  return messages.flatMap(({ role, content }) => (role === 'user' ? [String(content)] : []));
}

async function deskOn(t: TestContext, kind: StoreKind) {
  const opened = await storeOf(t, kind);
  const tool = createRecordedTool();
  const desk = await buildDesk(t, {
    gate: askAll(),
    tools: [tool.definition],
    ...(opened.openStore && { openStore: opened.openStore }),
  });
  opened.stop();
  desk.model.script(() => sayText('Done.'));
  return { desk, tool };
}

/** Delivers messages one after the other, with this delay after each. */
async function deliver(desk: TestDesk, messages: readonly (readonly [number, string, number])[]) {
  for (const [n, text, afterMs] of messages) {
    await desk.desk.receive(aMessage(desk, n, text));
    desk.worker.nudge();
    await desk.clock.advance(afterMs);
  }
}

for (const kind of inTurn(['SQLite', 'Redis'] as const)) {
  describe(`follow-up messages on ${kind}`, () => {
    const orders: readonly [string, readonly (readonly [number, string, number])[]][] = [
      [
        'the right',
        [
          [1, 'first', 10],
          [2, 'second', 300],
        ],
      ],
      [
        'the wrong',
        [
          [2, 'second', 10],
          [1, 'first', 300],
        ],
      ],
      [
        'the wrong, at the last moment',
        [
          [2, 'second', 299],
          [1, 'first', 300],
        ],
      ],
      [
        'a mixed',
        [
          [3, 'third', 100],
          [1, 'first', 100],
          [2, 'second', 300],
        ],
      ],
    ];
    for (const [what, order] of orders) {
      it(`that arrive in ${what} order are processed in the order of their ts`, async (t) => {
        const { desk } = await deskOn(t, kind);
        await desk.send('hello');
        await deliver(desk, order);
        await until(() => desk.model.requests.length === order.length + 1);
        await desk.rest();
        const expected = ['first', 'second', 'third'].slice(0, order.length);
        assert.deepEqual(
          written(desk).map((text) => text.match(/first|second|third|hello/)?.[0]),
          ['hello', ...expected],
        );
      });
    }

    it('act on a pending call in the order of their ts: the first is its reply', async (t) => {
      const { desk, tool } = await deskOn(t, kind);
      desk.model.script(() => sayCalls([{ name: 'act', args: '{"note":"one"}' }]));
      await desk.send('please act');
      desk.model.script(() => sayText('Understood.'));
      await deliver(desk, [
        [2, 'no, in dollars', 10],
        [1, 'do it in euros', 300],
      ]);
      await until(async () => (await desk.calls())[0]?.status === 'replied');
      await desk.rest();
      const [call] = await desk.calls();
      assert.ok(call?.outcome?.kind === 'reply');
      assert.equal(call.outcome.text, 'do it in euros');
      await until(() => written(desk).at(-1)?.includes('in dollars') ?? false);
      assert.deepEqual(tool.runs, []);
    });
  });
}

describe('the wait for an earlier message', () => {
  it('does not delay the message that starts a thread', async (t) => {
    const { desk } = await deskOn(t, 'SQLite');
    await desk.desk.receive(aMessage(desk, 0, 'hello'));
    await desk.rest();
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('delays a follow-up for at most 300 ms', async (t) => {
    const { desk } = await deskOn(t, 'SQLite');
    await desk.send('hello');
    await deliver(desk, [[1, 'more', 299]]);
    assert.equal(desk.model.requests.length, 1);
    await desk.clock.advance(1);
    await until(() => desk.model.requests.length === 2);
  });

  it('is not extended by later messages', async (t) => {
    const { desk } = await deskOn(t, 'SQLite');
    await desk.send('hello');
    await deliver(desk, [
      [1, 'one', 150],
      [2, 'two', 149],
    ]);
    assert.equal(desk.model.requests.length, 1);
    await desk.clock.advance(1);
    await until(() => desk.model.requests.length >= 2);
  });

  it('does not delay a click: the tool runs while a message waits', async (t) => {
    const { desk, tool } = await deskOn(t, 'SQLite');
    desk.model.script(() => sayCalls([{ name: 'act', args: '{"note":"one"}' }]));
    await desk.send('please act');
    desk.model.script(() => sayText('Understood.'));
    const [call] = await desk.calls();
    assert.ok(call);
    await desk.desk.receive(aMessage(desk, 1, 'wait for it'));
    desk.worker.nudge();
    const outcome = desk.decide(call, REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.clock.advance(300);
    assert.equal((await outcome).kind, 'decided');
    assert.equal((await desk.calls())[0]?.status, 'succeeded');
  });

  it('survives a crash: the next worker processes the stored messages in order', async (t) => {
    const { desk } = await deskOn(t, 'SQLite');
    await desk.send('hello');
    await desk.desk.receive(aMessage(desk, 2, 'second'));
    desk.worker.nudge();
    await desk.restart(async () => {
      await desk.desk.receive(aMessage(desk, 1, 'first'));
    });
    await desk.clock.advance(300);
    await until(() => desk.model.requests.length === 3);
    await desk.rest();
    assert.match(written(desk).at(-1) ?? '', /second/);
    assert.match(written(desk).at(-2) ?? '', /first/);
  });

  it('lets “stop” drop a message that was written before it and arrives after it', async (t) => {
    const { desk } = await deskOn(t, 'SQLite');
    await desk.send('hello');
    desk.model.script(() => ({ kind: 'hang', deltas: [] }));
    await deliver(desk, [
      [2, 'stop', 10],
      [1, 'delete everything', 300],
    ]);
    await until(() => desk.chat.said.some(({ id }) => id.startsWith('stopped:')));
    await desk.rest();
    assert.deepEqual(await desk.store.inbox.waiting(THREAD), []);
    assert.equal(await desk.store.inbox.current(THREAD), undefined);
    assert.ok(!desk.chat.said.some(({ id }) => id.startsWith('nothing:')));
  });

  it('does not delay “stop” while a turn is in progress', async (t) => {
    const { desk } = await deskOn(t, 'SQLite');
    desk.model.script(() => ({ kind: 'hang', deltas: [] }));
    await desk.desk.receive(aMessage(desk, 0, 'hello'));
    desk.worker.nudge();
    await until(() => desk.model.requests.length === 1);
    await desk.desk.receive(aMessage(desk, 1, 'stop'));
    await desk.rest();
    assert.ok(desk.chat.said.some(({ id }) => id.startsWith('stopped:')));
  });

  it('lets “stop” in a direct message end a thread that was started before it there', async (t) => {
    const { desk } = await deskOn(t, 'SQLite');
    desk.model.script(() => ({ kind: 'hang', deltas: [] }));
    const direct = (ts: string, text: string): InboxMessage => ({
      ...aMessage(desk, 0, text),
      id: messageId({ team: 'T1', channel: 'D1', ts }),
      thread: threadKey({ team: 'T1', channel: 'D1', ts }),
      ts,
    });
    await desk.desk.receive(direct('2.000000', 'stop'));
    desk.worker.nudge();
    await desk.clock.advance(10);
    await desk.desk.receive(direct('1.000000', 'delete everything'));
    desk.worker.nudge();
    await until(() => desk.model.requests.length === 1);
    await desk.clock.advance(300);
    await until(() => desk.chat.said.some(({ id }) => id.startsWith('stopped:')));
    await desk.rest();
    assert.ok(!desk.chat.said.some(({ id }) => id.startsWith('nothing:')));
  });

  it('ends at once if a clock was set back by more than replicas may differ', async (t) => {
    const { desk } = await deskOn(t, 'SQLite');
    const message = withOrderDelay({ ...aMessage(desk, 1, 'more'), receivedAt: 1_000_000 });
    const waits = [999_000, 1_000_000, 1_000_299, 1_000_300, 998_999].map((now) =>
      msUntilOrdered(message, [message], now),
    );
    assert.deepEqual(waits, [1_300, 300, 1, 0, 0]);
  });
});
