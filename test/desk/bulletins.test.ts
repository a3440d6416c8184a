import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ChatError } from '../../src/domain/chat.ts';
import { messageId } from '../../src/domain/message.ts';
import { REQUESTER_ROUTE, type Route } from '../../src/domain/route.ts';
import { threadKey } from '../../src/domain/thread-key.ts';
import { APPROVER, REQUESTER } from '../support/a-call.ts';
import { askAll, buildDesk, type TestDesk } from '../support/build-desk.ts';
import { sayCalls, sayText } from '../support/mock-model.ts';
import { createRecordedTool } from '../support/recorded-tool.ts';

const MINUTE = 60_000;
const OPS: Route = {
  ...REQUESTER_ROUTE,
  name: 'ops',
  channel: 'C9',
  approvers: ['user:U2'],
  selfApproval: false,
};

/** A desk whose agent makes so many calls at once, at most 25 in each of some threads. */
async function flooded(t: TestContext, calls: number, route: Partial<Route> = OPS) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { gate: askAll(route), tools: [tool.definition] });
  desk.model.script(({ messages }) => {
    const last = messages.at(-1);
    const count = last?.role === 'user' ? Number(last.content) : 0;
    const all = Array.from({ length: count }, (_, n) => ({ name: 'act', args: `{"note":"${n}"}` }));
    return count > 0 ? sayCalls(all) : sayText('Done.');
  });
  await desk.send(String(Math.min(calls, 25)));
  for (let sent = 25; sent < calls; sent += 25) {
    const ts = `1700000000.${String(sent).padStart(6, '0')}`;
    const thread = threadKey({ team: 'T1', channel: 'C1', ts });
    const id = messageId({ team: 'T1', channel: 'C1', ts });
    const text = String(Math.min(calls - sent, 25));
    const receivedAt = desk.clock.now();
    await desk.desk.receive({ id, thread, author: REQUESTER, ts, text, receivedAt });
    await desk.worker.idle();
  }
  return desk;
}

async function pass(desk: TestDesk, ms: number, stepMs = 2_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await desk.clock.advance(stepMs);
    await desk.worker.idle();
  }
}

const pings = ({ chat }: TestDesk) => chat.drawings.filter(({ calls }) => calls.length > 0);
const written = ({ chat }: TestDesk, what: string, how?: string) =>
  chat.drawings.filter((each) => each.what === what && (how === undefined || each.how === how));
const newest = ({ chat }: TestDesk) => [...chat.bulletins.values()].at(-1);

describe('a crowd of cards', () => {
  it('of 500 calls has one bulletin, eleven calls for people in all, and every card', async (t) => {
    const desk = await flooded(t, 500);
    await pass(desk, 15 * MINUTE, 20_000);
    assert.equal(written(desk, 'card', 'post').length, 500);
    assert.equal(written(desk, 'stub', 'post').length, 500);
    assert.equal(written(desk, 'bulletin', 'post').length, 1);
    assert.equal(pings(desk).length, 11);
    const { total, waiting } = newest(desk) ?? {};
    assert.deepEqual([total, waiting], [500, 500]);
  });

  it('is counted down in that one message as people decide, and closed with the last', async (t) => {
    const desk = await flooded(t, 12);
    await pass(desk, MINUTE);
    const calls = await desk.calls();
    assert.equal(newest(desk)?.waiting, 12);
    for (const call of calls.slice(0, 5)) await desk.decide(call, APPROVER);
    await pass(desk, MINUTE);
    assert.equal(newest(desk)?.waiting, 7);
    for (const call of calls.slice(5)) await desk.decide(call, APPROVER);
    await pass(desk, MINUTE);
    const { id = '', waiting } = newest(desk) ?? {};
    assert.equal(waiting, 0);
    assert.equal(written(desk, 'bulletin', 'post').length, 1);
    assert.equal(await desk.store.bulletins.read(id), undefined);
    assert.equal(pings(desk).length, 11);
  });

  it('is announced in the threads’ own channel too, where others decide', async (t) => {
    const { channel: _none, ...own } = OPS;
    const desk = await flooded(t, 14, own);
    await pass(desk, MINUTE);
    assert.equal(written(desk, 'bulletin', 'post')[0]?.place.channel, 'C1');
    assert.equal(pings(desk).length, 11);
  });

  it('for whoever asked, in their own thread, has neither calls nor a bulletin', async (t) => {
    const desk = await flooded(t, 14, REQUESTER_ROUTE);
    await pass(desk, MINUTE);
    assert.equal(pings(desk).length, 0);
    assert.equal(written(desk, 'bulletin').length, 0);
  });

  it('is reminded of by another bulletin, not by a word for each call', async (t) => {
    const desk = await flooded(t, 14, { ...OPS, remindAfterMs: 10 * MINUTE });
    await pass(desk, 12 * MINUTE, 10_000);
    const reminders = desk.chat.said.filter(({ id }) => id.startsWith('reminder:'));
    assert.equal(reminders.length, 10);
    assert.equal(written(desk, 'bulletin', 'post').length, 2);
    assert.equal(newest(desk)?.waiting, 14);
  });

  it('whose bulletin was deleted has it again, and nobody is called a second time', async (t) => {
    const desk = await flooded(t, 12);
    await pass(desk, MINUTE);
    desk.chat.loseNext('bulletin', new ChatError('gone', 'It was deleted.'));
    const [call] = await desk.calls();
    assert.ok(call);
    await desk.decide(call, APPROVER);
    await pass(desk, MINUTE);
    assert.equal(written(desk, 'bulletin', 'post').length, 2);
    assert.equal(pings(desk).length, 11);
  });
});
