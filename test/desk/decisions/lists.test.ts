/** What waits for a person, and what they asked for: by their current permissions, in pages. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { withSealedCalls } from '../../../src/stores/repositories/documents/sealed-ledger.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { seedPending } from '../../bench/kit/seed-pending.ts';
import { APPROVER, OUTSIDER, REQUESTER, SECOND_APPROVER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { TEST_SEAL } from '../../support/test-secret-mark.ts';
import { approvalDesk, GROUP_ROUTE, loseRun } from '../support/approval-desk.ts';

const idsOf = (calls: readonly Call[]) => calls.map(({ id }) => id);

async function listWaitingFor(desk: TestDesk, person: Person, limit = 8) {
  const page = await desk.desk.listWaiting(person, { limit });
  assert.equal(page.kind, 'page');
  return page;
}

async function emptyListReason(desk: TestDesk, person: Person): Promise<string> {
  const page = await desk.desk.listWaiting(person, { limit: 8 });
  assert.equal(page.kind, 'nobody');
  return plainSentence(page.why);
}

describe('the list of calls that wait for a person', () => {
  it('has what their group may decide, and nobody else sees it', async (t) => {
    const { desk, directory, call } = await approvalDesk(t);
    const { id } = await call();
    const waitsFor = async (person: Person) => idsOf((await listWaitingFor(desk, person)).calls);
    assert.deepEqual(await waitsFor(APPROVER), [id]);
    assert.deepEqual(await waitsFor(SECOND_APPROVER), [id]);
    assert.deepEqual(await waitsFor(OUTSIDER), []);
    assert.deepEqual(await waitsFor(REQUESTER), []);
    // Even in the group, their own approval does not count.
    directory.setGroup('usergroup:S1', ['U1', 'U3']);
    await desk.clock.advance(61_000);
    assert.deepEqual(await waitsFor(REQUESTER), []);
    assert.deepEqual(await waitsFor(APPROVER), []);
  });

  it('leaves out what they have approved and what is decided', async (t) => {
    const { desk, call } = await approvalDesk(t, { ...GROUP_ROUTE, quorum: 2 });
    await desk.decide(await call(), APPROVER);
    assert.deepEqual((await listWaitingFor(desk, APPROVER)).calls, []);
    assert.equal((await listWaitingFor(desk, SECOND_APPROVER)).calls.length, 1);
    await desk.decide(await call(), SECOND_APPROVER);
    assert.deepEqual((await listWaitingFor(desk, SECOND_APPROVER)).calls, []);
  });

  it('has the calls with an unknown outcome', async (t) => {
    const on = await approvalDesk(t, GROUP_ROUTE, { stalled: true });
    await loseRun(on, APPROVER);
    const { calls } = await listWaitingFor(on.desk, APPROVER);
    assert.deepEqual(
      calls.map(({ status }) => status),
      ['unknown'],
    );
    assert.deepEqual((await listWaitingFor(on.desk, OUTSIDER)).calls, []);
  });

  it('warns that it may be incomplete while the group members cannot be looked up', async (t) => {
    const { desk, directory } = await approvalDesk(t);
    directory.failGroups(new Error('Slack is down.'));
    const { calls, warning } = await listWaitingFor(desk, APPROVER);
    assert.deepEqual(calls, []);
    assert.match(plainSentence(warning ?? ''), /this list may be incomplete/);
    directory.failWith(new Error('Slack is down.'));
    assert.match(await emptyListReason(desk, APPROVER), /can’t look you up in Slack/);
    directory.failGroups(undefined);
    directory.failWith(undefined);
    assert.equal((await listWaitingFor(desk, APPROVER)).warning, undefined);
  });

  it('follows authorize(), even if an index lookup found more', async (t) => {
    const { desk, directory } = await approvalDesk(t);
    const { ledger } = desk.store;
    const askingAny = ledger.askingAnyOf.bind(ledger);
    const onceFound = (change: () => void) => {
      ledger.askingAnyOf = async (...args) => {
        change();
        return await askingAny(...args);
      };
    };
    onceFound(() => directory.setGroup('usergroup:S1', ['U3']));
    assert.deepEqual(await listWaitingFor(desk, APPROVER), { kind: 'page', calls: [] });
    directory.setGroup('usergroup:S1', ['U2', 'U3']);
    onceFound(() => directory.failGroups(new Error('Slack is down.')));
    const { calls, warning } = await listWaitingFor(desk, APPROVER);
    assert.deepEqual([calls, warning !== undefined], [[], true]);
  });

  it('is empty with the reason for a person who may decide nothing; guests see what a route allows them', async (t) => {
    const { desk, directory } = await approvalDesk(t);
    for (const [standing, why] of [
      ['guest', /you are a guest/],
      ['stranger', /come from another/],
      ['gone', /deactivated/],
    ] as const) {
      directory.setPerson(APPROVER.user, { standing });
      assert.match(await emptyListReason(desk, APPROVER), why);
    }
    const open = await approvalDesk(t, { ...GROUP_ROUTE, allowsGuests: true });
    open.directory.setPerson(APPROVER.user, { standing: 'guest' });
    assert.equal((await listWaitingFor(open.desk, APPROVER)).calls.length, 1);
  });
});

describe('many calls', () => {
  const OPS: Route = { ...REQUESTER_ROUTE, name: 'ops', approvers: ['usergroup:S1'] };

  /** A desk with so many pending calls, none of which has been read yet. */
  async function seeded(t: TestContext, count: number, route: Route) {
    const directory = createTestDirectory();
    directory.setGroup('usergroup:S1', ['U2', 'U3']);
    const { path: dataDir, remove } = await makeTempDir();
    let calls: readonly Call[] = [];
    // Stored before a worker exists that could start the turns.
    const desk = await buildDesk(t, {
      tools: [],
      directory,
      stalled: true,
      async openStore({ clock, ...told }) {
        const opened = createSqliteStore({ dataDir, clock, ...told });
        const store = { ...opened, ledger: withSealedCalls(opened.ledger, TEST_SEAL) };
        calls = await seedPending({ store, clock, count, requester: REQUESTER, route });
        return opened;
      },
    });
    t.after(remove);
    const { store } = desk;
    let read = 0;
    const { askingAnyOf: askingAny } = store.ledger;
    store.ledger.askingAnyOf = async (...args) => {
      const found = await askingAny(...args);
      read += found.length;
      return found;
    };
    return { desk, directory, ids: idsOf(calls), read: () => read };
  }

  it('come in pages, oldest first, each once, and no page reads more than it shows', async (t) => {
    const { desk, ids, read } = await seeded(t, 40, OPS);
    const seen: string[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const page = await desk.desk.listWaiting(APPROVER, { after, limit: 8 });
      assert.equal(page.kind, 'page');
      seen.push(...idsOf(page.calls));
      after = page.next;
      pages += 1;
      assert.ok(read() <= pages * 9, `${read()} were read for ${pages} pages.`);
    } while (after !== undefined);
    assert.deepEqual(seen, ids);
    assert.equal(pages, 5);
    const before = read();
    assert.deepEqual((await listWaitingFor(desk, OUTSIDER)).calls, []);
    assert.equal(read(), before, 'What waits for others is not read.');
  });

  it('end a page if the person may not decide them after all, and the next page continues', async (t) => {
    const own: Route = { ...OPS, selfApproval: false };
    const { desk, directory, read } = await seeded(t, 320, own);
    directory.setGroup('usergroup:S1', ['U1']);
    const page = await listWaitingFor(desk, REQUESTER);
    assert.deepEqual(page.calls, []);
    assert.ok(page.next !== undefined && read() < 320);
    const rest = await desk.desk.listWaiting(REQUESTER, { after: page.next, limit: 8 });
    assert.deepEqual(rest, { kind: 'page', calls: [] });
  });

  it('are listed for their requester, newest first, and for nobody else', async (t) => {
    const { desk, ids } = await seeded(t, 20, OPS);
    const newest = ids.toReversed();
    const first = await desk.desk.listRequested(REQUESTER, { limit: 8 });
    assert.deepEqual(idsOf(first.open), newest.slice(0, 8));
    assert.deepEqual([first.over, first.next], [[], newest[7]]);
    const last = await desk.desk.listRequested(REQUESTER, { after: newest[15], limit: 8 });
    assert.deepEqual([idsOf(last.open), last.next], [newest.slice(16), undefined]);
    assert.deepEqual(await desk.desk.listRequested(APPROVER, { limit: 8 }), { open: [], over: [] });
  });
});

describe('the list of calls that a person asked for', () => {
  it('ends with the last decided calls, and leaves out those that ran without asking', async (t) => {
    const { desk, call } = await approvalDesk(t);
    const pending = await call();
    const before = await desk.desk.listRequested(REQUESTER, { limit: 8 });
    assert.deepEqual([idsOf(before.open), before.over], [[pending.id], []]);
    await desk.decide(pending, APPROVER);
    const after = await desk.desk.listRequested(REQUESTER, { limit: 8 });
    assert.deepEqual([after.open, idsOf(after.over)], [[], [pending.id]]);
    const { requestedBy: madeBy } = desk.store.ledger;
    desk.store.ledger.requestedBy = async (...args) =>
      (await madeBy(...args)).map(({ route: _none, ...unasked }) => unasked);
    assert.deepEqual((await desk.desk.listRequested(REQUESTER, { limit: 8 })).over, []);
  });
});
