/** A pause is announced where calls are pending: once in each route channel, and on the cards. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Gate, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { channelKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

const ADMIN = APPROVER;

async function pause(desk: TestDesk): Promise<void> {
  assert.equal((await desk.desk.pause(ADMIN)).kind, 'paused');
}

async function resume(desk: TestDesk): Promise<void> {
  assert.equal((await desk.desk.resume(ADMIN)).kind, 'resumed');
  await desk.worker.idle();
}

describe('the announcement of a pause', () => {
  const routed: Gate = ({ tool }) => ({
    kind: 'ask',
    route: {
      ...REQUESTER_ROUTE,
      name: tool,
      ...(tool === 'act' && { channel: 'C7', approvers: ['user:U2'] as const }),
    },
  });
  const told = (desk: TestDesk) =>
    desk.chat.said
      .filter(({ thread }) => thread === channelKey({ team: 'T1', channel: 'C7' }))
      .map(({ text }) => text);

  async function deskWithCalls(t: TestContext) {
    const desk = await buildDesk(t, {
      gate: routed,
      tools: [createRecordedTool().definition, createRecordedTool({ name: 'note' }).definition],
      directory: createTestDirectory({ U2: { isAdmin: true } }),
    });
    const asked = ['act', 'act', 'note'].map((name, i) => ({ name, args: `{"note":"${i}"}` }));
    desk.model.script((_request, index) => (index === 0 ? sayCalls(asked) : sayText('Done.')));
    await desk.send('act');
    return desk;
  }

  it('is posted once in each route channel with pending calls, and so is the end of the pause', async (t) => {
    const desk = await deskWithCalls(t);
    await pause(desk);
    await desk.rest();
    assert.deepEqual(told(desk).length, 1);
    assert.match(told(desk)[0] ?? '', /U2 paused me: nothing new runs until an admin resumes/);
    assert.equal((await desk.desk.pause(ADMIN)).kind, 'already-paused');
    await desk.rest();
    assert.equal(told(desk).length, 1);
    await resume(desk);
    assert.match(told(desk)[1] ?? '', /U2 resumed me/);
    assert.equal(told(desk).length, 2);
  });

  it('survives a crash before it is posted, and is not repeated', async (t) => {
    const desk = await deskWithCalls(t);
    desk.chat.failNext(new ChatError('temporary', 'The line is down.'));
    await pause(desk);
    await desk.restart();
    await desk.clock.advance(60_000);
    await desk.rest();
    assert.equal(told(desk).length, 1);
    await desk.restart();
    await desk.clock.advance(60_000);
    await desk.rest();
    assert.equal(told(desk).length, 1);
  });

  it('is shown on every open card in every channel until the pause ends', async (t) => {
    const desk = await deskWithCalls(t);
    const calls = await desk.calls();
    await desk.decide(calls[0] ?? assert.fail(), APPROVER, { kind: 'reply', text: 'later' });
    await pause(desk);
    await desk.clock.advance(60_000);
    await desk.rest();
    const open = calls.slice(1).map(({ id }) => id);
    assert.deepEqual([...desk.chat.pauses.keys()].sort(), [...open].sort());
    await resume(desk);
    await desk.clock.advance(60_000);
    await desk.rest();
    assert.deepEqual([...desk.chat.pauses.keys()], []);
  });

  it('is posted in no channel without pending calls', async (t) => {
    const desk = await buildDesk(t, {
      tools: [],
      directory: createTestDirectory({ U2: { isAdmin: true } }),
    });
    await pause(desk);
    await resume(desk);
    assert.deepEqual(desk.chat.said, []);
  });
});
