import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Person } from '../../../src/domain/people/person.ts';
import type { WorkspaceMembership } from '../../../src/domain/people/profile.ts';
import {
  explainRefusedSender,
  type SenderPolicy,
} from '../../../src/domain/people/sender-policy.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { OUTSIDER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

const GUEST: Person = { team: 'T1', user: 'U5' };
const GONE: Person = { team: 'T1', user: 'U6' };

async function deskWith(t: TestContext, talk: SenderPolicy = {}) {
  const tool = createRecordedTool();
  const directory = createTestDirectory({
    U5: { standing: 'guest', isAdmin: true },
    U6: { standing: 'gone' },
  });
  // The requester decides, and the guest could too.
  const gate = askAll({ approvers: ['requester', 'user:U5', 'user:U6'] });
  const desk = await buildDesk(t, { gate, tools: [tool.definition], directory, talk });
  desk.model.script(() => sayCalls([{ name: 'act', args: '{"note":"a"}' }]));
  return { desk, tool, directory };
}

const privates = (desk: TestDesk, { user }: Person) =>
  desk.chat.said.filter(({ kind, to }) => kind === 'private' && to?.user === user);

describe('people who may talk to the agent', () => {
  it('are not guests: they get one private message and an audit entry, and the model gets nothing', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('hello', GUEST);
    assert.equal(desk.model.requests.length, 0);
    assert.equal(privates(desk, GUEST).length, 1);
    assert.match(privates(desk, GUEST)[0]?.text ?? '', /full members.*you are a guest/);
    assert.deepEqual(await desk.store.inbox.waiting(THREAD), []);
    const refused = (await desk.store.audit.read(1, 100)).at(-1);
    assert.equal(refused?.event, 'message.refuse');
    assert.deepEqual(refused?.detail, { thread: THREAD, why: 'a guest' });
  });

  it('are not blocked by an earlier message of somebody who may not', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(() => sayText('Hello.'));
    await desk.send('hello', GUEST);
    await desk.send('hello', REQUESTER);
    assert.equal(desk.chat.said.at(-1)?.text, 'Hello.');
    assert.equal(desk.model.requests.length, 1);
  });

  it('are also checked while calls are pending: a guest’s message decides and withdraws nothing', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('act');
    await desk.send('not like that', GUEST);
    const [call] = await desk.calls();
    assert.equal(call?.status, 'pending');
    assert.equal(desk.model.requests.length, 1);
    assert.match(privates(desk, GUEST).at(-1)?.text ?? '', /guest/);
  });

  it('are looked up until Slack answers; the message is not lost, and nobody is refused', async (t) => {
    const { desk, directory } = await deskWith(t);
    desk.model.script(() => sayText('Hello.'));
    directory.failWith(new ChatError('temporary', 'Slack is away.'));
    await desk.send('hello');
    await desk.clock.advance(3 * 60 * 60_000);
    await desk.worker.idle();
    assert.equal(desk.model.requests.length, 0);
    assert.equal(desk.chat.said.length, 0);
    assert.ok(directory.asked() > 30);
    directory.failWith(undefined);
    await desk.clock.advance(5 * 60_000);
    await desk.worker.idle();
    assert.equal(desk.chat.said.at(-1)?.text, 'Hello.');
  });

  it('are those in TALK_USERS, in TALK_CHANNELS and in direct messages', () => {
    const member = { standing: 'member', isAdmin: true } as const;
    const rules = { users: new Set(['U1']), channels: new Set(['C1']) };
    const why = (user: string, channel: string) =>
      explainRefusedSender(member, { team: 'T1', user }, channel, rules)?.why;
    assert.equal(why('U1', 'C1'), undefined);
    assert.equal(why('U1', 'D7'), undefined);
    assert.equal(why('U1', 'C2'), 'not among TALK_CHANNELS');
    assert.equal(why('U2', 'C1'), 'not among TALK_USERS');
    assert.equal(why('U2', 'D7'), 'not among TALK_USERS');
  });

  it('are always members only', () => {
    const standings: readonly WorkspaceMembership[] = [
      'guest',
      'stranger',
      'bot',
      'gone',
      'member',
    ];
    const refused = standings.filter((standing) =>
      explainRefusedSender({ standing, isAdmin: true }, GUEST, 'C1', { users: new Set(['U5']) }),
    );
    assert.deepEqual(refused, ['guest', 'stranger', 'bot', 'gone']);
  });

  it('are limited for messages as configured', async (t) => {
    const { desk } = await deskWith(t, { users: new Set(['U1']) });
    desk.model.script(() => sayText('Hello.'));
    await desk.send('hello', OUTSIDER);
    assert.equal(desk.model.requests.length, 0);
    assert.match(privates(desk, OUTSIDER)[0]?.text ?? '', /people on the operator’s list/);
    await desk.send('hello', REQUESTER);
    assert.equal(desk.chat.said.at(-1)?.text, 'Hello.');
  });
});

describe('a person who decides', () => {
  for (const [who, by] of [
    ['a guest', GUEST],
    ['a deactivated person', GONE],
  ] as const) {
    it(`is not ${who}, even if the route names them`, async (t) => {
      const { desk, tool } = await deskWith(t);
      await desk.send('act');
      const [call] = await desk.calls();
      assert.ok(call);
      for (const decision of [{ kind: 'approve' }, { kind: 'ignore' }] as const) {
        assert.equal((await desk.decide(call, by, decision)).kind, 'not-allowed');
      }
      const digest = call.digest.slice(0, 10);
      const look = { callId: call.id, attempt: 1, digest, by, kind: 'edit' } as const;
      assert.equal((await desk.desk.checkDecision(look)).kind, 'not-allowed');
      assert.deepEqual(await desk.calls(), [call]);
      assert.deepEqual(tool.runs, []);
      const last = (await desk.store.audit.read(1, 100)).at(-1);
      assert.equal(last?.event, 'decision.not-allowed');
    });
  }

  it('is nobody while Slack does not say who they are', async (t) => {
    const { desk, directory } = await deskWith(t);
    await desk.send('act');
    const [call] = await desk.calls();
    assert.ok(call);
    directory.failWith(new ChatError('temporary', 'Slack is away.'));
    const outcome = await desk.decide(call, REQUESTER);
    assert.ok(outcome.kind === 'not-allowed');
    assert.match(plainSentence(outcome.why), /can’t look you up in Slack.*try again/);
    assert.deepEqual(await desk.calls(), [call]);
    directory.failWith(undefined);
    assert.equal((await desk.decide(call, REQUESTER)).kind, 'decided');
  });
});
