import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Gate, REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import type { Ledger } from '../../../src/domain/ports/store.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const OPS: Route = {
  ...REQUESTER_ROUTE,
  name: 'ops',
  channel: 'C9',
  approvers: ['user:U2'],
  selfApproval: false,
};

/** A desk whose agent makes so many calls in one message, with their numbers as notes. */
async function deskWith(
  t: TestContext,
  count: number,
  options: Partial<Parameters<typeof buildDesk>[1]> = {},
) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { tools: [tool.definition], ...options });
  const all = Array.from({ length: count }, (_, n) => ({ name: 'act', args: `{"note":"${n}"}` }));
  desk.model.script((_request, index) => (index === 0 ? sayCalls(all) : sayText('Done.')));
  return { desk, tool };
}

const drawn = ({ chat }: TestDesk, how: 'post' | 'update', what = 'card') =>
  chat.drawings.filter((each) => each.what === what && each.how === how);
const newest = ({ chat }: TestDesk) => chat.drawings.findLast(({ what }) => what === 'card');

/** Uses the route that the note of a call names, or the requester's own. */
function gateByNote(routes: Readonly<Record<string, Route>>): Gate {
  return ({ args }) => {
    const { note = '' } = args as { readonly note?: string };
    return { kind: 'ask', route: routes[note] ?? REQUESTER_ROUTE };
  };
}

describe('calls of one message', () => {
  it('are one post that shows all of them from the start, in their order', async (t) => {
    const { desk } = await deskWith(t, 12);
    await desk.send('act much');
    const calls = await desk.calls();
    const [post, ...more] = drawn(desk, 'post');
    assert.deepEqual(more, []);
    assert.deepEqual(
      post?.shows,
      calls.map(({ id }) => id),
    );
    assert.equal(post?.of, calls[0]?.id);
    for (const { id } of calls) assert.deepEqual(await desk.store.ledger.cardOf(id), post?.place);
    assert.equal(drawn(desk, 'update').length, 0, 'it was drawn again for nothing');
  });

  it('are decided one by one, and each update shows the status of all of them', async (t) => {
    const { desk, tool } = await deskWith(t, 3);
    await desk.send('act');
    const [first, second, third] = await desk.calls();
    assert.ok(first && second && third);
    await desk.decide(second, REQUESTER);
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.cards.get(second.id)?.status, 'succeeded');
    assert.equal(desk.chat.cards.get(first.id)?.status, 'pending');
    for (const call of [third, first]) await desk.decide(call, REQUESTER);
    assert.equal(desk.chat.cards.get(first.id)?.status, 'succeeded');
    assert.equal(drawn(desk, 'post').length, 1);
    assert.deepEqual(newest(desk)?.shows, [first.id, second.id, third.id]);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('show that they were withdrawn when one of them is ignored', async (t) => {
    const { desk, tool } = await deskWith(t, 3);
    await desk.send('act');
    const [first, second, third] = await desk.calls();
    assert.ok(first && second && third);
    await desk.decide(second, REQUESTER, { kind: 'ignore' });
    const states = [first, second, third].map(({ id }) => desk.chat.cards.get(id)?.status);
    assert.deepEqual(states, ['withdrawn', 'ignored', 'withdrawn']);
    assert.deepEqual(newest(desk)?.shows, [first.id, second.id, third.id]);
    assert.equal(tool.runs.length, 0);
  });

  it('have one card per route, and a call that is alone on its route has a single card', async (t) => {
    const { desk } = await deskWith(t, 4, { gate: gateByNote({ 1: OPS }) });
    await desk.send('act');
    const [a, b, c, d] = (await desk.calls()).map(({ id }) => id);
    const posts = drawn(desk, 'post').map(({ shows, place }) => [place.channel, ...shows]);
    assert.deepEqual(
      posts.sort(),
      [
        ['C1', a, c, d],
        ['C9', b],
      ].sort(),
    );
  });

  it('are shown without those that the schema rejects', async (t) => {
    const { desk } = await deskWith(t, 0);
    const args = ['{"note":"0"}', '{"nothing":1}', '{"note":"2"}'];
    desk.model.script((_request, index) =>
      index === 0 ? sayCalls(args.map((each) => ({ name: 'act', args: each }))) : sayText('Done.'),
    );
    await desk.send('act');
    assert.equal((await desk.calls()).length, 2);
    assert.equal(drawn(desk, 'post').length, 1);
    assert.equal(newest(desk)?.shows.length, 2);
  });

  it('are announced, linked by a stub and reminded of once', async (t) => {
    const route = { ...OPS, remindAfterMs: 600_000 };
    const { desk } = await deskWith(t, 12, { gate: askAll(route) });
    await desk.send('act');
    assert.equal(desk.chat.drawings.filter(({ calls }) => calls.length > 0).length, 1);
    assert.equal(drawn(desk, 'post', 'bulletin').length, 0);
    const [stub, ...others] = drawn(desk, 'post', 'stub');
    assert.deepEqual(others, []);
    assert.equal(desk.chat.stubLooks.get(stub?.of ?? '')?.shared?.length, 12);
    await desk.clock.advance(601_000);
    await desk.worker.idle();
    const reminders = desk.chat.said.filter(({ id }) => id.startsWith('reminder:'));
    assert.equal(reminders.length, 1);
    assert.match(
      reminders[0]?.text ?? '',
      /^Still open: “Act: 0” and 11 other calls on its card · /,
    );
  });

  it('are reminded of by the first one that is still pending', async (t) => {
    const { desk } = await deskWith(t, 3, { gate: askAll({ ...OPS, remindAfterMs: 600_000 }) });
    await desk.send('act');
    const [first, second] = await desk.calls();
    assert.ok(first && second);
    await desk.decide(first, APPROVER);
    await desk.clock.advance(601_000);
    await desk.worker.idle();
    const reminders = desk.chat.said.filter(({ id }) => id.startsWith(`reminder:${second.id}`));
    assert.equal(reminders.length, 1);
    assert.equal(desk.chat.said.filter(({ id }) => id.startsWith('reminder:')).length, 1);
  });
});

describe('a shared card', () => {
  /** Returns the approved call 1 to pending on another route, as after a policy change. */
  async function movedDesk(t: TestContext, to: Route, stay: Route = REQUESTER_ROUTE) {
    let isMoved = false;
    const gate: Gate = ({ args }) => {
      const { note } = args as { readonly note: string };
      return { kind: 'ask', route: isMoved && note === '0' ? to : stay };
    };
    const made = await deskWith(t, 3, { gate });
    await made.desk.send('act');
    isMoved = true;
    const calls = await made.desk.calls();
    const [first] = calls;
    assert.ok(first);
    await made.desk.decide(first, REQUESTER);
    return { ...made, ids: calls.map(({ id }) => id) };
  }

  it('keeps the other calls when its first call moves to another route in the same channel', async (t) => {
    const finance = { ...REQUESTER_ROUTE, name: 'finance', approvers: ['user:U2' as const] };
    const { desk, ids } = await movedDesk(t, finance);
    const [a, ...rest] = ids;
    const [{ place: shared } = { place: undefined }] = drawn(desk, 'post');
    await desk.clock.advance(1_000);
    await desk.worker.idle();
    const [, own, ...more] = drawn(desk, 'post');
    assert.deepEqual([own?.shows, more], [[a], []]);
    assert.deepEqual(await desk.store.ledger.cardOf(a ?? ''), own?.place);
    const last = desk.chat.drawings.findLast(({ place }) => place.ts === shared?.ts);
    assert.deepEqual([last?.what, last?.shows], ['card', rest]);
    for (const id of rest) assert.deepEqual(await desk.store.ledger.cardOf(id), shared);
  });

  it('is not shown as moved when only one call escalates to another channel', async (t) => {
    const { desk, ids } = await movedDesk(t, OPS);
    await desk.clock.advance(1_000);
    await desk.worker.idle();
    const [a, ...rest] = ids;
    assert.equal(drawn(desk, 'update', 'moved').length, 0);
    const own = await desk.store.ledger.cardOf(a ?? '');
    assert.equal(own?.channel, 'C9');
    assert.deepEqual(
      drawn(desk, 'post', 'stub').map(({ of }) => of),
      [a],
    );
    const [last] = rest.map((id) => desk.chat.drawings.findLast(({ shows }) => shows.includes(id)));
    assert.deepEqual(last?.shows, rest);
  });

  it('escalates with all of its calls as one post that mentions people once', async (t) => {
    const to = { ...OPS, name: 'chiefs', channel: 'C8' };
    const { desk } = await deskWith(t, 5, {
      gate: askAll({ ...OPS, escalate: { afterMs: 600_000, to } }),
    });
    await desk.send('act');
    await desk.clock.advance(600_000);
    await desk.worker.idle();
    await desk.clock.advance(1_000);
    await desk.worker.idle();
    const ids = (await desk.calls()).map(({ id }) => id);
    const posts = drawn(desk, 'post');
    assert.deepEqual(
      posts.map(({ place }) => place.channel),
      ['C9', 'C8'],
    );
    assert.deepEqual(newest(desk)?.shows, ids);
    assert.deepEqual(
      drawn(desk, 'update', 'moved').map(({ place }) => place),
      [posts[0]?.place],
    );
    assert.equal(desk.chat.drawings.filter(({ calls }) => calls.length > 0).length, 2);
    assert.equal(desk.chat.said.filter(({ id }) => id.startsWith('escalation:')).length, 0 + 1);
  });

  it('is posted once more after it was deleted, with all of its calls', async (t) => {
    const { desk } = await deskWith(t, 3);
    await desk.send('act');
    desk.chat.loseNext('card', new ChatError('gone', 'It was deleted.'));
    const [first] = await desk.calls();
    assert.ok(first);
    await desk.decide(first, REQUESTER);
    const [, again, ...more] = drawn(desk, 'post');
    assert.deepEqual(more, []);
    assert.equal(again?.shows.length, 3);
    for (const id of again?.shows ?? []) {
      assert.deepEqual(await desk.store.ledger.cardOf(id), again?.place);
    }
  });

  it('is looked up, not posted twice, if its message timestamp could not be stored', async (t) => {
    let failures = 1;
    const { path: dataDir, remove } = await makeTempDir();
    t.after(remove);
    const { desk } = await deskWith(t, 3, {
      openStore: async (on) => {
        const store = createSqliteStore({ dataDir, ...on });
        const placeCard: Ledger['placeCard'] = async (...args) => {
          failures -= 1;
          if (failures >= 0) throw new Error('The store went away.');
          await store.ledger.placeCard(...args);
        };
        return { ...store, ledger: { ...store.ledger, placeCard } };
      },
    });
    await desk.send('act');
    await desk.clock.advance(60_000);
    await desk.worker.idle();
    const [first, second, ...more] = desk.chat.drawings.filter(({ what }) => what === 'card');
    assert.deepEqual([first?.lookFirst, second?.lookFirst, more], [false, true, []]);
    for (const { id } of await desk.calls()) assert.ok(await desk.store.ledger.cardOf(id));
  });
});
