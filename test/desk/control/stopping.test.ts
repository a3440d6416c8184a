import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isForgetCommand, isStopCommand } from '../../../src/desk/turns/messages/command-words.ts';
import { LATE_MESSAGE_MS } from '../../../src/desk/turns/messages/message-order.ts';
import { advanceTurnKey, runCallKey } from '../../../src/domain/ports/agenda.ts';
import { OUTSIDER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import {
  aMessage,
  assertStopped,
  deskWith,
  GUEST,
  onlyCall,
  ROOT,
  statuses,
  stopEntries,
  turn,
  waitingDesk,
} from '../support/stopping-desk.ts';

describe('"stop" in a thread', () => {
  it('aborts the model request, and is never a message to the model', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(() => ({ kind: 'hang', deltas: ['I am thin'] }));
    const asking = desk.send('please act');
    await until(() => desk.heard().includes('I am thin'));
    await desk.send('Stop!', OUTSIDER);
    await asking;
    assert.match(JSON.stringify(await desk.store.history.newest(THREAD, 1, 0)), /I am thin…/);
    assert.deepEqual(await stopEntries(desk), ['T1/U9']);
    await assertStopped(desk, OUTSIDER, 1);
    assert.doesNotMatch(JSON.stringify(desk.model.requests), /Stop!/);
  });

  it('withdraws the pending calls, each with one outcome', async (t) => {
    const { desk, tool } = await waitingDesk(t, ['one', 'two']);
    await desk.send('please stop');
    assert.deepEqual(await statuses(desk), ['withdrawn', 'withdrawn']);
    assert.deepEqual(tool.runs, []);
    await assertStopped(desk, REQUESTER, 1);
    const told = desk.model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    assert.deepEqual(
      told?.map(({ content }) => content),
      ['Not run: a person stopped the work.', 'Not run: a person stopped the work.'],
    );
    for (const call of await desk.calls()) assert.equal(call.delivered, true);
  });

  it('aborts the running tool, says so in its outcome, and withdraws its siblings', async (t) => {
    const { desk, tool } = await waitingDesk(t, ['one', 'two']);
    const release = tool.hold();
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.send('stop', OUTSIDER);
    await deciding;
    assert.deepEqual(await statuses(desk), ['failed', 'withdrawn']);
    const { outcome } = await onlyCall(desk);
    assert.ok(outcome?.kind === 'error');
    assert.match(outcome.text, /stopped by a person while it ran. It may have done part/);
    await assertStopped(desk, OUTSIDER, 1);
    release();
  });

  it('gives the agent the outcome "unknown" for a call of a dead worker, and leaves its card to be settled', async (t) => {
    const { desk, tool } = await waitingDesk(t, ['one'], { stalled: true });
    const release = tool.hold();
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.clock.advance(31_000);
    await desk.takeOver().idle();
    assert.equal((await onlyCall(desk)).status, 'unknown');
    await desk.send('stop');
    const call = await onlyCall(desk);
    assert.equal(call.status, 'unknown');
    assert.equal(call.outcome?.kind, 'unknown');
    await assertStopped(desk, REQUESTER, 1);
    release();
    await deciding;
  });

  it('prevents a second run of an idempotent call of a dead worker', async (t) => {
    const { desk, tool } = await waitingDesk(t, ['one'], { stalled: true, idempotent: true });
    const release = tool.hold();
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => tool.runs.length === 1);
    // As from another process: the mark is stored, and no signal comes.
    await desk.store.inbox.stop(turn, OUTSIDER, 1, {});
    await desk.clock.advance(31_000);
    await desk.takeOver().idle();
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.equal(tool.runs.length, 1);
    assert.equal(await desk.store.inbox.current(THREAD), undefined);
    release();
    await deciding;
  });

  it('is completed when the process dies right after the mark was stored', async (t) => {
    const { desk, tool } = await waitingDesk(t, ['one']);
    const wakes = [{ key: advanceTurnKey(THREAD), dueAt: 0 }];
    await desk.store.inbox.stop(turn, OUTSIDER, 1, { wakes });
    await desk.worker.idle();
    assert.deepEqual(await statuses(desk), ['withdrawn']);
    assert.deepEqual(tool.runs, []);
    assert.equal(await desk.store.inbox.current(THREAD), undefined);
  });

  it('prevents an approved call that is not claimed yet from running', async (t) => {
    const { desk, tool } = await waitingDesk(t, ['one']);
    await desk.store.inbox.stop(turn, OUTSIDER, 1, {});
    const call = await onlyCall(desk);
    const digest = call.digest.slice(0, 10);
    const decision = { kind: 'approve' } as const;
    const command = { callId: call.id, attempt: 1, digest, by: REQUESTER, decision };
    assert.equal((await desk.desk.decide(command)).kind, 'decided');
    await desk.worker.idle();
    assert.deepEqual(await statuses(desk), ['approved']);
    const wakes = [runCallKey(call), advanceTurnKey(THREAD)].map((key) => ({ key, dueAt: 0 }));
    await desk.store.agenda.wake(wakes);
    await desk.worker.idle();
    assert.deepEqual(await statuses(desk), ['withdrawn']);
    assert.deepEqual(tool.runs, []);
  });

  it('is done by the thread’s pump if it was only received before a crash', async (t) => {
    const { desk } = await waitingDesk(t, ['one']);
    const wakes = [{ key: advanceTurnKey(THREAD), dueAt: 0 }];
    await desk.store.inbox.receive(aMessage('stop', { ts: '1700000001.5', thread: ROOT }), {
      wakes,
    });
    await desk.worker.idle();
    assert.deepEqual(await statuses(desk), ['withdrawn']);
    await assertStopped(desk, REQUESTER, 1);
  });

  it('also drops earlier messages that have not started; later messages start', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(() => sayText('At work.'));
    const ts = (n: number) => ({ ts: `1700000001.${n}00000`, thread: ROOT });
    await desk.store.inbox.receive(aMessage('one', ts(1)), {});
    await desk.store.inbox.receive(aMessage('stop', ts(2)), {});
    const wakes = [{ key: advanceTurnKey(THREAD), dueAt: 0 }];
    await desk.store.inbox.receive(aMessage('two', ts(3)), { wakes });
    await desk.worker.idle();
    assert.equal(desk.model.requests.length, 1);
    const prompt = JSON.stringify(desk.model.requests[0]?.messages);
    assert.match(prompt, /one.*A person stopped me here.*two/);
    assert.equal(desk.chat.said.at(-1)?.text, 'At work.');
  });

  it('does not stop later messages', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(() => sayText('At work.'));
    const stop = aMessage('stop', { ts: '1700000001.100000', thread: ROOT });
    await desk.store.inbox.receive(stop, {});
    const wakes = [{ key: advanceTurnKey(THREAD), dueAt: 0 }];
    const later = aMessage('go on', { ts: '1700000001.200000', thread: ROOT });
    await desk.store.inbox.receive(later, { wakes });
    await desk.worker.idle();
    assert.deepEqual(await stopEntries(desk), []);
    assert.deepEqual(
      desk.chat.said.map(({ kind }) => kind),
      ['private', 'answer'],
    );
  });

  it('is not a reply to a pending call, and neither is "forget this thread"', async (t) => {
    const { desk } = await waitingDesk(t, ['one']);
    const wakes = [{ key: advanceTurnKey(THREAD), dueAt: 0 }];
    const forget = aMessage('forget this thread', { ts: '1700000001.5', thread: ROOT });
    await desk.store.inbox.receive(forget, { wakes });
    await desk.worker.idle();
    assert.deepEqual(await statuses(desk), ['pending']);
  });

  it('is answered privately once if nothing is in progress, and never sent to the model', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('stop');
    assert.equal(desk.model.requests.length, 0);
    const said = desk.chat.said.map(({ kind, to, text }) => [kind, to?.user, text]);
    assert.deepEqual(said, [
      ['private', 'U1', 'Nothing is running here, so there was nothing to stop.'],
    ]);
    assert.deepEqual(await desk.store.inbox.waiting(THREAD), []);
  });

  it('sent outside the threads of a direct message stops all of them, and no other person’s', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(() => ({ kind: 'hang', deltas: [] }));
    const begun = [
      aMessage('one', { channel: 'D1', ts: '1.1' }),
      aMessage('two', { channel: 'D1', ts: '1.2' }),
      aMessage('three', { channel: 'D2', ts: '1.3' }),
    ];
    for (const message of begun) await desk.desk.receive(message);
    await until(() => desk.model.requests.length === 3);
    await desk.desk.receive(aMessage('stop', { channel: 'D1', ts: '1.4' }));
    await until(async () => (await desk.store.inbox.ongoing({ team: 'T1' })).length === 1);
    assert.deepEqual(
      (await desk.store.inbox.ongoing({ team: 'T1' })).map(({ text }) => text),
      ['three'],
    );
    await desk.desk.stop({ turn: 'T1/D2/1.3', by: REQUESTER });
    await desk.clock.advance(LATE_MESSAGE_MS);
    await desk.worker.idle();
  });

  it('from a guest stops nothing, and is refused privately', async (t) => {
    const { desk } = await waitingDesk(t, ['one']);
    await desk.send('stop', GUEST);
    assert.deepEqual(await statuses(desk), ['pending']);
    assert.match(desk.chat.said.at(-1)?.text ?? '', /you are a guest here/);
    assert.deepEqual(await stopEntries(desk), []);
  });

  it('is recognized by its text alone', () => {
    for (const text of ['stop', 'Stop!', 'please stop', 'STOP PLEASE', 'stop it.', ' stop\n']) {
      assert.equal(isStopCommand(text), true, text);
    }
    for (const text of ['stop the server', 'don’t stop', 'stop that', 'stopp', '', 'stop?']) {
      assert.equal(isStopCommand(text), false, text);
    }
    assert.equal(isForgetCommand('Forget this thread!'), true);
    assert.equal(isForgetCommand('forget this thread and begin anew'), false);
  });
});
