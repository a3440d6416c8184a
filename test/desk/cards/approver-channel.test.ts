import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { placeOf, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';

const MINUTE = 60_000;
const OPS: Route = {
  ...REQUESTER_ROUTE,
  name: 'ops',
  channel: 'C9',
  approvers: ['usergroup:S1'],
  selfApproval: false,
};
const LEAD: Route = { ...OPS, name: 'lead', channel: 'C8', approvers: ['user:U3'] };

/** A desk with one pending call on a route. */
async function waiting(t: TestContext, route: Route, admins: readonly string[] = []) {
  const tool = createRecordedTool();
  const directory = createTestDirectory({ U1: { name: 'Riley' }, U3: { name: 'Lee' } });
  directory.setGroup('usergroup:S1', ['U2', 'U3'], { handle: 'ops' });
  const desk = await buildDesk(t, {
    gate: askAll(route),
    tools: [tool.definition],
    directory,
    admins: new Set(admins),
  });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('As you say.'),
  );
  return { desk, tool };
}

async function pass(desk: TestDesk, ms: number): Promise<void> {
  await desk.clock.advance(ms);
  await desk.worker.idle();
}

async function onlyCall(desk: TestDesk) {
  const [call] = await desk.calls();
  assert.ok(call);
  return call;
}

/** Slack writes in short form: `post card C9 usergroup:S1`. A repeated identical update counts once. */
const written = ({ chat }: TestDesk) =>
  chat.drawings
    .map(({ what, how, place, calls }) => [how, what, place.channel, ...calls].join(' '))
    .filter((each, at, all) => each !== all[at - 1]);

const saidIn = ({ chat }: TestDesk, kind: string) => chat.said.filter((say) => say.kind === kind);

describe('the card of a route with a channel', () => {
  it('is posted there and mentions its approvers once; a stub in the thread follows the call to the end', async (t) => {
    const { desk, tool } = await waiting(t, OPS);
    await desk.send('please act');
    const call = await onlyCall(desk);
    assert.deepEqual(written(desk), ['post card C9 usergroup:S1', 'post stub C1']);
    const card = await desk.store.ledger.cardOf(call.id);
    assert.deepEqual(desk.chat.stubLooks.get(call.id)?.card, card);
    const { asker } = desk.chat.outlooks.get(call.id) ?? {};
    assert.deepEqual(asker, { person: 'U1', name: 'Riley' });
    assert.equal(desk.chat.statuses.at(-1), 'is waiting for @ops (usergroup:S1) in C9');
    await desk.decide(call, APPROVER);
    await pass(desk, 1_000);
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.cards.get(call.id)?.status, 'succeeded');
    assert.equal(desk.chat.stubs.get(call.id)?.status, 'succeeded');
    assert.deepEqual(
      written(desk).filter((each) => !each.startsWith('update')),
      ['post card C9 usergroup:S1', 'post stub C1'],
    );
  });

  it('mentions the requester in the thread once, when another person decides', async (t) => {
    const { desk } = await waiting(t, OPS);
    await desk.send('please act');
    await desk.decide(await onlyCall(desk), APPROVER);
    const [notice, ...more] = saidIn(desk, 'notice');
    assert.deepEqual(more, []);
    assert.equal(notice?.thread, THREAD);
    assert.match(notice?.text ?? '', /^“Act: a” was approved\.$/);
    assert.deepEqual(notice?.mentions, { people: [REQUESTER], groups: [] });
  });

  it('mentions nobody when the requester decides, or when the card is in the requester’s thread', async (t) => {
    const own = { ...OPS, approvers: ['requester'] as const, selfApproval: true };
    const { desk } = await waiting(t, own);
    await desk.send('please act');
    assert.deepEqual(written(desk)[0], 'post card C9 user:U1');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.deepEqual(saidIn(desk, 'notice'), []);
  });

  it('is in the thread if the route names the thread’s own channel', async (t) => {
    const { channel } = placeOf(THREAD);
    const { desk } = await waiting(t, { ...OPS, channel });
    await desk.send('please act');
    assert.deepEqual(written(desk), ['post card C1 usergroup:S1']);
    await desk.decide(await onlyCall(desk), APPROVER);
    assert.deepEqual(saidIn(desk, 'notice'), []);
  });

  it('mentions nobody if the requester decides in their own thread', async (t) => {
    const { desk } = await waiting(t, REQUESTER_ROUTE);
    await desk.send('please act');
    assert.deepEqual(written(desk), ['post card C1']);
    assert.deepEqual(desk.chat.statuses.at(-1), 'is waiting for a decision on the card');
  });

  it('is posted again after it was deleted, and so is its stub; nobody is mentioned again', async (t) => {
    const { desk } = await waiting(t, { ...OPS, quorum: 2 });
    await desk.send('please act');
    const call = await onlyCall(desk);
    const gone = () => new ChatError('gone', 'It was deleted.');
    desk.chat.loseNext('card', gone());
    desk.chat.loseNext('stub', gone());
    await desk.decide(call, APPROVER);
    await pass(desk, MINUTE);
    assert.deepEqual(written(desk), [
      'post card C9 usergroup:S1',
      'post stub C1',
      'post card C9',
      'post stub C1',
    ]);
    const [card, { stub }] = await Promise.all([
      desk.store.ledger.cardOf(call.id),
      desk.store.ledger.sideMessagesOf(call.id),
    ]);
    assert.deepEqual([card?.channel, stub?.channel], ['C9', 'C1']);
    assert.deepEqual(desk.chat.stubLooks.get(call.id)?.card, card);
  });

  it('is looked up after a crash before it is posted again, and so is its stub', async (t) => {
    const { desk } = await waiting(t, OPS);
    const { placeCard, placeSideMessage: placeSide } = desk.store.ledger;
    const { ledger } = desk.store;
    ledger.placeCard = async () => {
      ledger.placeCard = placeCard;
      throw new Error('The process died here.');
    };
    ledger.placeSideMessage = async () => {
      ledger.placeSideMessage = placeSide;
      throw new Error('The process died here.');
    };
    await desk.send('please act');
    await pass(desk, 10_000);
    await pass(desk, 10_000);
    const posts = desk.chat.drawings.filter(({ how }) => how === 'post');
    assert.deepEqual(
      posts.map(({ what, calls, lookFirst }) => [what, calls.length, lookFirst]),
      [
        ['card', 1, false],
        ['card', 1, true],
        ['stub', 0, false],
        ['stub', 0, true],
      ],
    );
  });

  it('is posted later if its channel rejects it; the requester and the admins are told once', async (t) => {
    const { desk, tool } = await waiting(t, OPS, ['U7', 'U8']);
    desk.chat.failChannel('C9', new ChatError('undeliverable', 'I am not a member there.'));
    await desk.send('please act');
    await pass(desk, 2 * MINUTE);
    const call = await onlyCall(desk);
    const told = saidIn(desk, 'private');
    assert.deepEqual(
      told.map(({ to, isDirect }) => [to?.user, isDirect === true]),
      [
        ['U1', false],
        ['U7', true],
        ['U8', true],
      ],
    );
    assert.match(
      told[0]?.text ?? '',
      /“Act: a” in C9, where it should be decided: I am not a member/,
    );
    assert.match(told[1]?.text ?? '', /The route “ops” sends its cards to C9.*not a member there/);
    for (const { text } of told)
      assert.match(text, /Meanwhile, approvers can decide (it|them) on my Home tab/i);
    const page = await desk.desk.listWaiting(APPROVER, { limit: 5 });
    assert.deepEqual(page.kind === 'page' && page.calls.map(({ id }) => id), [call.id]);
    const { availability, ...refused } = desk.chat.stubLooks.get(call.id) ?? {};
    assert.deepEqual(refused, { lookFirst: false, card: undefined, isRefused: true });
    assert.deepEqual(availability?.awaited, [{ group: 'usergroup:S1', handle: 'ops' }]);
    desk.chat.failChannel('C9', undefined);
    await pass(desk, 5 * MINUTE);
    assert.deepEqual(
      written(desk).filter((each) => each.includes('card')),
      ['post card C9 usergroup:S1'],
    );
    const look = desk.chat.stubLooks.get(call.id);
    assert.deepEqual([look?.card?.channel, look?.isRefused], ['C9', false]);
    // The requester is told that the card was posted, and nobody else gets anything more.
    const [mended, ...others] = saidIn(desk, 'private').slice(3);
    assert.deepEqual([mended?.to?.user, others], ['U1', []]);
    assert.match(mended?.text ?? '', /“Act: a” can be shown again in C9/);
    await desk.decide(call, APPROVER);
    assert.equal(tool.runs.length, 1);
  });
});

describe('a call that escalates to another channel', () => {
  const escalate = { afterMs: 10 * MINUTE, to: LEAD };

  it('leaves a closed card behind, and mentions the approvers of the next route at the new card', async (t) => {
    const { desk, tool } = await waiting(t, { ...OPS, escalate });
    await desk.send('please act');
    const call = await onlyCall(desk);
    await pass(desk, 11 * MINUTE);
    await pass(desk, MINUTE);
    assert.deepEqual(
      written(desk).filter((each) => !each.startsWith('update stub')),
      ['post card C9 usergroup:S1', 'post stub C1', 'post card C8 user:U3', 'update moved C9'],
    );
    const card = await desk.store.ledger.cardOf(call.id);
    assert.equal(card?.channel, 'C8');
    assert.deepEqual(Object.keys(await desk.store.ledger.sideMessagesOf(call.id)), ['stub']);
    assert.deepEqual(desk.chat.stubLooks.get(call.id)?.card, card);
    assert.equal(desk.chat.statuses.at(-1), 'is waiting for Lee (U3) in C8');
    const [notice] = saidIn(desk, 'notice');
    assert.deepEqual([notice?.thread, notice?.mentions], [THREAD, undefined]);
    await desk.decide(await onlyCall(desk), { team: 'T1', user: 'U3' });
    assert.equal(tool.runs.length, 1);
  });

  it('turns its card in the thread into the stub of the new one', async (t) => {
    const { channel: _none, ...own } = OPS;
    const { desk } = await waiting(t, { ...own, escalate });
    await desk.send('please act');
    await pass(desk, 11 * MINUTE);
    await pass(desk, MINUTE);
    assert.deepEqual(written(desk), [
      'post card C1 usergroup:S1',
      'post card C8 user:U3',
      'update stub C1',
    ]);
  });

  it('has its card in the thread at the end if the last route names no channel', async (t) => {
    const { channel: _none, ...own } = LEAD;
    const { desk } = await waiting(t, { ...OPS, escalate: { ...escalate, to: own } });
    await desk.send('please act');
    await pass(desk, 11 * MINUTE);
    await pass(desk, MINUTE);
    const [card, stub, next, ...closed] = written(desk);
    assert.deepEqual([card, stub], ['post card C9 usergroup:S1', 'post stub C1']);
    assert.equal(next, 'post card C1 user:U3');
    assert.deepEqual(closed.sort(), ['update moved C1', 'update moved C9']);
    assert.deepEqual(await desk.store.ledger.sideMessagesOf((await onlyCall(desk)).id), {});
  });

  it('can be decided on the old card while the next channel rejects the new one', async (t) => {
    const { desk, tool } = await waiting(t, { ...OPS, escalate });
    await desk.send('please act');
    desk.chat.failChannel('C8', new ChatError('undeliverable', 'I am not a member there.'));
    await pass(desk, 11 * MINUTE);
    const call = await onlyCall(desk);
    assert.equal((await desk.store.ledger.cardOf(call.id))?.channel, 'C9');
    assert.equal(desk.chat.cards.get(call.id)?.route?.name, 'lead');
    await desk.decide(call, { team: 'T1', user: 'U3' });
    assert.equal(tool.runs.length, 1);
    await pass(desk, MINUTE);
    assert.equal(desk.chat.cards.get(call.id)?.status, 'succeeded');
  });

  it('posts its reminder beside its card, where its approvers are', async (t) => {
    const { desk } = await waiting(t, { ...OPS, remindAfterMs: MINUTE });
    await desk.send('please act');
    const card = await desk.store.ledger.cardOf((await onlyCall(desk)).id);
    assert.ok(card);
    await pass(desk, 2 * MINUTE);
    const [reminder, ...more] = saidIn(desk, 'notice');
    assert.deepEqual(more, []);
    assert.equal(reminder?.thread, threadKey({ team: 'T1', channel: 'C9', ts: card.ts }));
    assert.deepEqual(reminder?.mentions, { people: [], groups: ['usergroup:S1'] });
  });
});
