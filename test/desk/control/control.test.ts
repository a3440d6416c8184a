import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Person } from '../../../src/domain/people/person.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, OUTSIDER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import {
  assertStopped,
  deskWith,
  directory,
  GUEST,
  onlyCall,
  statuses,
  stopEntries,
  turn,
  waitingDesk,
} from '../support/stopping-desk.ts';

describe('stopping one turn', () => {
  it('works for anyone who may talk there, once, while the turn is in progress', async (t) => {
    const { desk } = await waitingDesk(t, ['one']);
    const refused = await desk.desk.stop({ turn, by: GUEST });
    assert.ok(refused.kind === 'not-allowed');
    assert.match(refused.sentence, /guest/);
    assert.deepEqual(await desk.desk.stop({ turn, by: OUTSIDER }), { kind: 'stopped', turns: 1 });
    await desk.worker.idle();
    assert.deepEqual(await desk.desk.stop({ turn, by: OUTSIDER }), { kind: 'nothing' });
    assert.deepEqual(await stopEntries(desk), ['T1/U9']);
  });

  it('says who was first', async (t) => {
    const { desk, tool } = await waitingDesk(t, ['one']);
    const release = tool.hold();
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.store.inbox.stop(turn, OUTSIDER, 1, {});
    const second = await desk.desk.stop({ turn, by: REQUESTER });
    assert.deepEqual(second, { kind: 'already-stopped', by: OUTSIDER });
    release();
    await deciding;
  });

  it('needs no permission check for the person who started the turn', async (t) => {
    const { desk } = await waitingDesk(t, ['one']);
    t.after(() => directory.failWith(undefined));
    directory.failWith(new Error('Slack is away.'));
    const others = await desk.desk.stop({ turn, by: OUTSIDER });
    assert.ok(others.kind === 'not-allowed');
    assert.match(others.sentence, /can’t look you up in Slack/);
    assert.equal((await desk.desk.stop({ turn, by: REQUESTER })).kind, 'stopped');
    await desk.worker.idle();
    assert.deepEqual(await statuses(desk), ['withdrawn']);
  });
});

describe('stopping a channel', () => {
  const channel = { team: 'T1', channel: 'C1' };

  it('ends the person’s own turns there; an admin ends all turns', async (t) => {
    const { desk } = await waitingDesk(t, ['one']);
    assert.deepEqual(await desk.desk.stopAll({ ...channel, by: OUTSIDER }), { kind: 'nothing' });
    const elsewhere = { ...channel, channel: 'C2', by: REQUESTER };
    assert.deepEqual(await desk.desk.stopAll(elsewhere), { kind: 'nothing' });
    assert.deepEqual(await statuses(desk), ['pending']);
    const stopped = await desk.desk.stopAll({ ...channel, by: APPROVER });
    assert.deepEqual(stopped, { kind: 'stopped', turns: 1 });
    await desk.worker.idle();
    await assertStopped(desk, APPROVER, 1);
  });

  it('is refused to a guest, and audited', async (t) => {
    const { desk } = await waitingDesk(t, ['one']);
    assert.equal((await desk.desk.stopAll({ ...channel, by: GUEST })).kind, 'not-allowed');
    const last = (await desk.store.audit.read(1, 1_000)).at(-1);
    assert.equal(last?.event, 'control.not-allowed');
    assert.equal(last?.actor, 'T1/U5');
  });
});

describe('forgetting a thread', () => {
  it('removes its settled turns, says so, and is audited', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(() => sayText('Noted.'));
    await desk.send('my secret is marmalade');
    await desk.send('forget this thread', OUTSIDER);
    assert.match(
      desk.chat.said.at(-1)?.text ?? '',
      /^Nothing was forgotten: only admins, and people who asked/,
    );
    assert.equal((await desk.store.history.newest(THREAD, 9, 0)).length, 1);
    await desk.send('forget this thread');
    assert.deepEqual(await desk.store.history.newest(THREAD, 9, 0), []);
    assert.match(desk.chat.said.at(-1)?.text ?? '', /^U1 made me forget/);
    await desk.send('what was it?');
    assert.doesNotMatch(JSON.stringify(desk.model.requests.at(-1)), /marmalade|forget/);
    const entries = await desk.store.audit.read(1, 1_000);
    const forgotten = entries.filter(({ event }) => event === 'thread.forget');
    assert.deepEqual(
      forgotten.map(({ actor, subject }) => [actor, subject]),
      [['T1/U1', THREAD]],
    );
  });

  it('removes nothing while a turn is in progress, and tells people to stop that first', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script((_request, index) =>
      index === 0 ? sayText('Noted.') : sayCalls([{ name: 'act', args: '{"note":"a"}' }]),
    );
    await desk.send('my secret is marmalade');
    await desk.send('now act');
    await desk.send('forget this thread');
    assert.deepEqual(await statuses(desk), ['pending']);
    assert.equal((await desk.store.history.newest(THREAD, 9, 0)).length, 1);
    const told = desk.chat.said.at(-1);
    assert.equal(told?.kind, 'private');
    assert.match(told?.text ?? '', /Nothing was forgotten: .* Write “stop” in it first/);
    const answer = await desk.desk.forget({ thread: THREAD, by: REQUESTER });
    assert.equal(answer.kind, 'not-allowed');
    await desk.send('stop');
    await desk.send('forget this thread');
    assert.deepEqual(await desk.store.history.newest(THREAD, 9, 0), []);
    desk.model.script(() => sayText('Hello.'));
    await desk.send('hello');
    assert.doesNotMatch(JSON.stringify(desk.model.requests.at(-1)), /marmalade|now act/);
  });

  it('works only for a known thread and a person who may talk there', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('hello');
    const forget = (by: Person, thread = THREAD) => desk.desk.forget({ thread, by });
    assert.equal((await forget(GUEST)).kind, 'not-allowed');
    const unknown = threadKey({ team: 'T1', channel: 'C1', ts: '5.5' });
    assert.deepEqual(await forget(REQUESTER, unknown), { kind: 'unknown-thread' });
    assert.deepEqual(await forget(REQUESTER), { kind: 'forgotten', turns: 1 });
    await desk.worker.idle();
  });
});
