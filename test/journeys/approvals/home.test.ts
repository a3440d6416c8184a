/** App Home over signed HTTP, with the whole app: who sees pending calls, and decides them there. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { createSeal } from '../../../src/domain/calls/seal.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { withSealedCalls } from '../../../src/stores/repositories/documents/sealed-ledger.ts';
import { seedPending } from '../../bench/kit/seed-pending.ts';
import { SILENT } from '../../stores/redis/open-store.ts';
import { onHomes } from '../../support/app/homes.ts';
import type { Place } from '../../support/app/scene.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { call as aModelCall } from '../field-reports/field-stage.ts';
import { type InnerStage, setInnerStage } from '../field-reports/inner-stage.ts';

const GROUP = ['approver', 'admin'] as const;
const MINUTE_MS = 60_000;

const aRoute = (group: string): Route => {
  const approvers = [`usergroup:${group}` as const];
  return { ...REQUESTER_ROUTE, name: 'ops', approvers, selfApproval: false };
};

describe('App Home', () => {
  let stage: InnerStage;
  let group: string;
  const { idsOn, press, shows, home, openHome } = onHomes(() => stage);
  before(async () => {
    stage = await setInnerStage('http');
  });
  after(() => stage.close());
  beforeEach(async () => {
    group = stage.workspace.setUserGroup('ops-approvers', GROUP);
    askGroup();
    // Group members are cached for a minute.
    await stage.clock.advance(MINUTE_MS + 1_000);
  });
  afterEach(async () => {
    stage.workspace.faults.clear();
    stage.model.script(() => sayText('Stopped.'));
    await stage.workspace.command('admin', 'ops', '/countersign', 'stop');
    await stage.workspace.waitFor(() => (pendingCount() === 0 ? true : undefined));
  });

  function askGroup(route: Partial<Route> = {}): void {
    stage.setGate(() => ({ kind: 'ask', route: { ...aRoute(group), ...route } }));
  }

  /** Makes the agent request these notes in one message; resolves when they are pending. */
  async function requestNotes(...texts: readonly string[]): Promise<Place> {
    const calls = texts.map((text) => aModelCall('note', { text }));
    stage.model.script((_request, index) => (index === 0 ? sayCalls(calls) : sayText('Noted.')));
    const before = pendingCount();
    const place = await stage.ask('requester', `note ${texts[0]}`, 'ops');
    await stage.workspace.waitFor(() =>
      pendingCount() >= before + texts.length ? true : undefined,
    );
    return place;
  }

  function pendingCount(): number {
    const [row] = stage.sql<{ n: number }>(
      "SELECT count(*) AS n FROM calls WHERE status = 'pending'",
    );
    return row?.n ?? 0;
  }

  const runs = () => readFile(stage.runJournal, 'utf8').catch(() => '');
  it('shows a whole call, approves it there, and then shows the next', async () => {
    const place = await requestNotes('the first', 'the second');
    await openHome('approver');
    await shows('approver', 'your turn');
    const [first = ''] = idsOn('approver');
    await press('approver', 'home.review', `waiting:${first}`);
    await stage.view('approver', 'note the first');
    await stage.workspace.clickInView('approver', { actionId: 'call.approve' });
    await stage.view('approver', 'You approved');
    await stage.workspace.waitFor(() => (idsOn('approver').includes(first) ? undefined : true));
    assert.equal(idsOn('approver').length, 1);
    await stage.line(place, 'the first', 'Done');
    // The line shows the approval before the call has run.
    await until(async () => (await runs()).includes('the first'));
    await openHome('requester');
    await stage.workspace.clickInHome('requester', { actionId: 'home.show', option: 'asked' });
    await shows('requester', 'approved by');
    await openHome('approver');
    await stage.workspace.clickInHome('approver', { actionId: 'home.show', option: 'decided' });
    await shows('approver', 'you approved · done');
    await stage.workspace.clickInHome('approver', { actionId: 'home.search', value: 'note' });
    await stage.workspace.clickInHome('approver', { actionId: 'home.refresh' });
    await shows('approver', 'Clear Search');
  });

  it('answers, edits and ignores a call there too', async () => {
    const [place] = [await requestNotes('to be edited'), await requestNotes('to be answered')];
    await requestNotes('to be ignored');
    await openHome('approver');
    const [edited, answered, ignored] = idsOn('approver');
    await press('approver', 'home.review', `waiting:${edited}`);
    await stage.view('approver', 'Asked by');
    await stage.workspace.clickInView('approver', { actionId: 'call.edit' });
    await stage.form('approver', 'Edit the call');
    const blocks = stage.workspace.see('approver').views.at(-1)?.view.blocks ?? [];
    const input = blocks.find(({ type }) => type === 'input');
    await stage.workspace.submit('approver', { [input?.block_id ?? '']: 'edited on Home' });
    await stage.card(place, 'edited on Home', 'Done');
    await press('approver', 'home.review', `waiting:${answered}`);
    await stage.view('approver', 'Asked by');
    await stage.workspace.clickInView('approver', { actionId: 'call.reply' });
    await stage.form('approver', 'Reply to the agent');
    await stage.workspace.submit('approver', { reply: 'Ask me tomorrow.' });
    await stage.workspace.waitFor(() => (idsOn('approver').length === 1 ? true : undefined));
    await press('approver', 'home.ignore', `waiting:${ignored}`);
    await shows('approver', 'You ignored');
    await shows('approver', 'No approvals waiting.');
    assert.doesNotMatch(await runs(), /to be (?:edited|answered|ignored)/);
  });

  it('reports a late press, and decides nothing', async () => {
    await requestNotes('decided elsewhere', 'decided there too');
    await openHome('approver');
    const [first, second] = idsOn('approver');
    await openHome('admin');
    await press('admin', 'home.ignore', `waiting:${first}`);
    await shows('admin', 'You ignored');
    // Their view is outdated: it has not been updated yet.
    assert.deepEqual(idsOn('approver'), [first, second]);
    await press('approver', 'home.review', `waiting:${first}`);
    await stage.view('approver', 'was already ignored (ignored by <@U0ADMIN>)');
    await stage.workspace.close('approver');
    await press('approver', 'home.ignore', `waiting:${second}`);
    await shows('approver', 'Nothing changed:');
    await shows('approver', 'No approvals waiting.');
  });

  it('refuses a person removed from the group since it was rendered, and shows them nothing of the call', async () => {
    await requestNotes('only for the group');
    await openHome('approver');
    const [id] = idsOn('approver');
    stage.workspace.setUserGroup('ops-approvers', ['admin']);
    await stage.clock.advance(MINUTE_MS + 1_000);
    await press('approver', 'home.ignore', `waiting:${id}`);
    await shows('approver', 'may decide this call');
    assert.ok(!home('approver').includes('only for the group'));
    assert.equal(pendingCount(), 1);
    const [refusal] = stage.sql<{ actor: string }>(
      "SELECT actor FROM audit WHERE event = 'decision.not-allowed' ORDER BY seq DESC LIMIT 1",
    );
    assert.match(refusal?.actor ?? '', /U0APPROVER/);
  });

  it('hides calls from people not involved, and explains why guests cannot decide', async () => {
    await requestNotes('a private matter');
    for (const [who, words] of [
      ['outsider', 'No approvals waiting.'],
      ['guest', 'you are a guest here'],
    ] as const) {
      await openHome(who);
      await shows(who, words);
      assert.ok(!home(who).includes('a private matter'));
      assert.deepEqual(idsOn(who), []);
    }
    await openHome('requester');
    await shows('requester', 'waiting for');
    assert.deepEqual(idsOn('requester'), [], 'Their own approval does not count.');
  });

  it('updates for people who have it open, and reports when Slack cannot list groups', async () => {
    await openHome('approver');
    await shows('approver', 'No approvals waiting.');
    await requestNotes('it comes by itself');
    await stage.clock.advance(2_100);
    await shows('approver', 'your turn');
    stage.workspace.faults.api('usergroups.users.list', { kind: 'error', error: 'fatal_error' }, 9);
    await stage.clock.advance(2 * MINUTE_MS);
    await openHome('approver');
    await shows('approver', 'this list may be incomplete');
    assert.ok(!home('approver').includes('No approvals waiting.'));
  });

  it('has the same list as a command, visible only to the person who types it', async () => {
    await requestNotes('from the keyboard');
    for (const [who, words] of [
      ['approver', 'waiting for you'],
      ['outsider', 'No approvals waiting.'],
    ] as const) {
      await stage.workspace.command(who, 'general', '/countersign', 'waiting');
      const told = await stage.privately(who, words);
      assert.equal(JSON.stringify(told).includes('archives/'), who === 'approver');
    }
  });
});

describe('two hundred pending calls', () => {
  let stage: InnerStage;
  before(async () => {
    stage = await setInnerStage('http');
    await stage.app().stop();
    await seed();
    await stage.start();
  });
  after(() => stage.close());

  /** Stores two hundred turns that wait for the group. */
  async function seed(): Promise<void> {
    const { workspace, clock } = stage;
    const group = workspace.setUserGroup('ops-approvers', GROUP);
    const folder = dirname(stage.runJournal);
    const opened = await openStore(
      { dataDir: join(folder, 'data'), workspaceDir: join(folder, 'files') },
      { clock, log: SILENT, onWake: () => {} },
    );
    const seal = createSeal(await opened.installationKey.read());
    const ledger = withSealedCalls(opened.store.ledger, seal);
    const requester = { team: workspace.team.id, user: workspace.member('requester').id };
    const route = aRoute(group);
    stage.setGate(() => ({ kind: 'ask', route }));
    // Calls whose messages were removed are not listed.
    const card = await workspace.say('requester', 'ops', 'Where all of them stand.');
    const all = { requester, route, card };
    await seedPending({ store: { ...opened.store, ledger }, clock, count: 200, ...all });
    await opened.store.close();
  }

  it('are listed in pages within the limits of Slack, oldest first and each once', async () => {
    const { shows, idsOn, press, openHome, blocksOf, published } = onHomes(() => stage);
    const from = published().length;
    const stored = stage.sql<{ id: string }>(
      "SELECT id FROM calls WHERE status = 'pending' ORDER BY seq",
    );
    assert.equal(stored.length, 200);
    await openHome('approver');
    await shows('approver', 'Page 1, oldest first');
    const seen = [...idsOn('approver')];
    for (let page = 2; page <= 25; page += 1) {
      await press('approver', 'home.on', 'pages:waiting');
      await shows('approver', `Page ${page},`);
      seen.push(...idsOn('approver'));
    }
    assert.deepEqual(
      seen,
      stored.map(({ id }) => id),
    );
    assert.ok(!JSON.stringify(blocksOf('approver')).includes('home.on'), 'This is the last page.');
    await press('approver', 'home.back', 'pages:waiting');
    await shows('approver', 'Page 24,');
    await openHome('requester');
    await shows('requester', 'Your requests');
    assert.deepEqual(idsOn('requester'), []);
    await press('requester', 'home.on', 'pages:asked');
    await stage.workspace.waitFor(() =>
      JSON.stringify(blocksOf('requester')).includes('home.back') ? true : undefined,
    );
    await stage.workspace.waitFor(() =>
      published().every(({ ok }) => ok !== undefined) ? true : undefined,
    );
    const views = published().slice(from);
    assert.equal(views.length, 28);
    for (const { request, ok } of views) {
      const { view } = request as { view: { blocks: unknown[] } };
      assert.equal(ok, true, 'Slack takes every view.');
      assert.ok(view.blocks.length <= 60, `${view.blocks.length} blocks`);
    }
  });
});
