import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KnownBlock } from '@slack/types';
import type { Call } from '../../../src/domain/calls/call.ts';
import { encodeCardToken } from '../../../src/domain/calls/digest.ts';
import {
  type CallListEntry,
  toDecidedEntry,
  toWaitingEntry,
} from '../../../src/domain/cards/call-list-entry.ts';
import { canonicalJson } from '../../../src/domain/json/json.ts';
import { validateView } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import {
  INITIAL_HOME,
  withHomeView,
  withSearch,
  withToolFilter,
} from '../../../src/slack/home/home-state.ts';
import {
  buildHomeErrorView,
  buildHomeView,
  type HomeContent,
} from '../../../src/slack/home/home-view.ts';
import { LIMITS } from '../../../src/slack/text/limits.ts';
import { actionIds } from '../../support/app/unrender-card.ts';
import { APPROVER, aCall, OUTSIDER, TWO_APPROVERS } from '../../support/builders/a-call.ts';

const NONE = { count: 0, hasMore: false };
const NOTHING: HomeContent = {
  waiting: { kind: 'page', calls: [] },
  lists: { waiting: { calls: [] }, asked: { open: [], over: [] } },
  lines: new Map(),
  counts: { forYou: NONE, asked: NONE },
  tools: [],
  state: INITIAL_HOME,
  isAdmin: false,
  adminPart: [],
  at: 1_000,
};
const withArgs = (args: object, patch: Partial<Call> = {}) =>
  aCall({ args: canonicalJson(args as never), ...patch });
const many = (count: number, call: Call) =>
  Array.from({ length: count }, (_, i) => ({ ...call, id: `${call.id}${i}` }));
const linesOf = (calls: readonly Call[], more: Partial<CallListEntry> = {}) =>
  new Map(
    calls.map((call) => [call.id, { ...toWaitingEntry(call, { isReaders: true }), ...more }]),
  );
const sayHome = (content: Partial<HomeContent>) =>
  JSON.stringify(buildHomeView({ ...NOTHING, ...content }).blocks);
const waiting = (...calls: readonly Call[]): Partial<HomeContent> => ({
  waiting: { kind: 'page', calls },
  lists: { waiting: { calls }, asked: { open: [], over: [] } },
  lines: linesOf(calls),
});
const HOSTILE = '<!channel> *b* `x` <https://a|b>\u202e ';

describe('the fullest Home', () => {
  const long = aCall({
    summary: HOSTILE.repeat(20),
    tool: `${'x'.repeat(300)}<!here>`,
    route: TWO_APPROVERS,
    risk: 'high',
    votes: [{ by: APPROVER, at: 1 }],
  });
  const calls = many(30, long);
  const full: HomeContent = {
    ...NOTHING,
    waiting: { kind: 'page', calls, next: long.id, warning: 'Perhaps there is more.' },
    lists: {
      waiting: { calls: calls.slice(0, 8), next: long.id },
      asked: { open: calls.slice(8, 16), over: calls.slice(16, 21), next: long.id },
      team: { kind: 'page', calls: calls.slice(0, 15), next: long.id },
      decided: { calls: calls.slice(15, 30), next: long.id },
    },
    lines: linesOf(calls, { place: { channel: 'C7', ts: '1700000009.000100' }, isCard: true }),
    counts: { forYou: { count: 50, hasMore: true }, asked: { count: 50, hasMore: true } },
    tools: Array.from({ length: 300 }, (_, i) => `${'t'.repeat(70)}${i}`),
    state: { ...INITIAL_HOME, waiting: ['a'], asked: ['b'], search: 'x'.repeat(75) },
    isAdmin: true,
    overview: {
      pending: 900,
      unknown: 3,
      routes: calls.map((oldest) => ({ route: oldest.tool, channel: 'C7', count: 3, oldest })),
      stuck: calls.slice(0, 10).map((call, i) => ({ call, gap: `Nobody can approve this. ${i}` })),
      parked: [{ task: 'redraw', count: 2, since: '2026-01-01T00:00:00.000Z' }],
      isPartial: true,
    },
    pause: { by: APPROVER, at: 1 },
    note: 'You ignored it.',
  };
  const admin = (count: number) =>
    Array.from({ length: count }, (): KnownBlock => ({ type: 'divider' }));

  it('is within Slack’s limits for any content, and leaves room for forty admin blocks', () => {
    for (const view of ['all', 'for-you', 'asked', 'team', 'decided', 'workspace'] as const) {
      const state = { ...full.state, view };
      const built = buildHomeView({ ...full, state, adminPart: admin(40) });
      assert.deepEqual(validateView(built), [], view);
      assert.ok(built.blocks.length <= LIMITS.viewBlocks);
      assert.ok(JSON.stringify(built).length < 90_000, `${JSON.stringify(built).length}`);
    }
    const { blocks } = buildHomeView({ ...full, overview: undefined, adminPart: admin(40) });
    assert.equal(blocks.filter(({ type }) => type === 'divider').length, 1 + 40);
  });

  it('says so if the admin blocks do not fit', () => {
    const view = buildHomeView({ ...full, adminPart: admin(95) });
    assert.deepEqual(validateView(view), []);
    assert.equal(view.blocks.length, LIMITS.viewBlocks);
    assert.match(JSON.stringify(view.blocks.at(-1)), /Slack can’t show any more here/);
  });

  it('shows the agent’s text without markup and invisible characters', () => {
    const { blocks } = buildHomeView(full);
    const text = JSON.stringify(blocks);
    assert.ok(!text.includes('\u202e'));
    // The screen-reader text of a button is no markup.
    const others = blocks.filter(({ type }) => type !== 'rich_text');
    const markup = JSON.stringify(others).replaceAll(
      /"accessibility_label":"(?:[^"\\]|\\.)*"/g,
      '',
    );
    for (const mark of ['<!channel>', '<!here>', 'https://a']) assert.ok(!markup.includes(mark));
    assert.ok(text.includes('{"type":"text","text":"<!channel> *b*'), 'shown as it is, as data');
  });

  it('has no arguments, so no secret', () => {
    const call = withArgs(
      { path: 'plans.txt', token: 'hunter2-and-more' },
      { summary: 'Write it' },
    );
    const text = sayHome(waiting(call));
    assert.ok(text.includes('Write it'));
    assert.doesNotMatch(text, /hunter2|plans\.txt/);
  });
});

describe('an entry', () => {
  it('of a pending call links to the full call, and has Ignore only if that is no risk', () => {
    const buttons = (call: Call) => {
      const { blocks } = buildHomeView({ ...NOTHING, ...waiting(call) });
      return actionIds(blocks.slice(3));
    };
    const call = aCall();
    assert.deepEqual(buttons(call), ['home.review', 'home.ignore']);
    assert.deepEqual(buttons(aCall({ risk: 'high' })), ['home.review']);
    assert.deepEqual(buttons(aCall({ status: 'unknown' })), ['home.review']);
    const route = { ...TWO_APPROVERS, decisions: ['approve'] as const };
    assert.deepEqual(buttons(aCall({ route })), ['home.review']);
    assert.ok(sayHome(waiting(call)).includes(`"value":"${encodeCardToken(call)}"`));
  });

  it('is one line: its name, its age, whose turn it is, and a link if it can be opened', () => {
    const call = aCall({
      summary: 'Refund €80.00 to Jane Doe',
      risk: 'high',
      route: TWO_APPROVERS,
      votes: [{ by: OUTSIDER, at: 1 }],
    });
    const place = { channel: 'C1', ts: '1700000009.000200' };
    const text = sayHome({ ...waiting(call), lines: linesOf([call], { place, isCard: true }) });
    for (const part of [
      '"name":"warning"',
      '"text":"Refund €80.00 to Jane Doe","style":{"bold":true}',
      '"timestamp":1,"format":"{ago}"',
      'your turn · 1 of 2',
      'https://slack.com/archives/C1/p1700000009000200?thread_ts=1700000000.000100&cid=C1',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.doesNotMatch(sayHome(waiting(call)), /slack\.com/);
  });
});

describe('the lists on Home', () => {
  const views = (content: Partial<HomeContent>) =>
    JSON.parse(sayHome(content)).find(({ block_id = '' }) => block_id.startsWith('filters:'))
      .elements as { action_id: string; options: { value: string }[]; initial_option: object }[];

  it('can be selected, with counts, and by tool if there are several; only admins have the workspace list', () => {
    const counts = { forYou: { count: 3, hasMore: false }, asked: { count: 50, hasMore: true } };
    const text = sayHome({ counts });
    assert.ok(text.includes('*3* waiting for you · *50+* open requests from you'), text);
    const names = (content: Partial<HomeContent>) =>
      views(content)[0]?.options.map(({ value }) => value);
    const all = ['all', 'for-you', 'asked', 'team', 'decided'];
    assert.deepEqual(names({}), all);
    assert.deepEqual(names({ isAdmin: true }), [...all, 'workspace']);
    assert.equal(views({}).length, 1);
    const tools = views({
      tools: ['pay', 'mail', 'pay'],
      state: withToolFilter(INITIAL_HOME, 'pay'),
    })[1];
    assert.deepEqual(
      tools?.options.map(({ value }) => value),
      ['*', 'mail', 'pay'],
    );
    assert.match(JSON.stringify(tools?.initial_option), /"pay"/);
  });

  it('have a search for the person’s decisions, which can be cleared', () => {
    const call = aCall({
      status: 'succeeded',
      verdict: { kind: 'approve', by: APPROVER, at: 5_000 },
    });
    const lists = { decided: { calls: [call] } };
    const lines = new Map([[call.id, toDecidedEntry(call, APPROVER)]]);
    const state = withHomeView(INITIAL_HOME, 'decided');
    const shown = sayHome({ lists, lines, state });
    assert.match(shown, /home\.search.*"timestamp":5,"format":"\{ago\}".*you approved · done/);
    assert.ok(!shown.includes('home.clear'));
    const searched = sayHome({
      lists: { decided: { calls: [] } },
      state: withSearch(state, ' x '),
    });
    assert.match(searched, /"initial_value":"x".*home\.clear.*match this search/);
  });

  it('say that no approvals are waiting only if that is known', () => {
    assert.match(
      sayHome({}),
      /No approvals waiting\. Calls that need your decision appear here\..*No open requests/,
    );
    const warning = sayHome({
      waiting: { kind: 'page', calls: [], warning: 'Slack did not tell.' },
    });
    assert.ok(warning.includes('Slack did not tell.') && !warning.includes('No approvals'));
    const guest = sayHome({ waiting: { kind: 'nobody', why: 'You are a guest here.' } });
    assert.ok(guest.includes('You are a guest here.') && !guest.includes('No approvals'));
    const filtered = sayHome({ state: withToolFilter(INITIAL_HOME, 'pay') });
    assert.match(filtered, /Nothing here for this tool/);
  });

  it('say that everything is paused', () => {
    const text = sayHome({ pause: { by: APPROVER, at: 1_000 } });
    assert.match(text, /Paused by <@U2> since .*nothing new runs/);
  });

  it('say when they could not be read, and can be refreshed', () => {
    const view = buildHomeErrorView(INITIAL_HOME, 1_000);
    assert.deepEqual(validateView(view), []);
    assert.deepEqual(actionIds(view.blocks), ['home.refresh']);
  });

  it('of the workspace show what an admin has to fix, without the names of calls they can’t open', () => {
    const call = aCall({ summary: 'Dismiss Jane Doe', tool: 'dismiss' });
    const overview = {
      pending: 2,
      unknown: 1,
      routes: [{ route: 'ops', channel: 'C7', count: 2, oldest: call }],
      stuck: [{ call, gap: 'This needs 5 approvals, and only 2 people can give one.' }],
      parked: [{ task: 'callback' as const, count: 3, since: '2026-01-01T00:00:00.000Z' }],
      isPartial: false,
    };
    const state = withHomeView(INITIAL_HOME, 'workspace');
    const content = { overview, state, isAdmin: true, lists: {} };
    const closed = sayHome(content);
    assert.match(closed, /Not paused · \*2\* waiting.*ops → .*"channel_id":"C7".*: 2 · oldest: /);
    assert.match(
      closed,
      /Nobody can approve these.*only 2 people can give one.*Gave up after repeated failures.*sending a callback to a program: 3/,
    );
    assert.doesNotMatch(closed, /Jane Doe/);
    const place2 = { channel: 'C7', ts: '1.1' };
    assert.match(sayHome({ ...content, lines: linesOf([call], { place: place2 }) }), /Jane Doe/);
  });
});

describe('pages', () => {
  it('can be turned in both directions, and are numbered', () => {
    const calls = many(8, aCall());
    const page = (content: Partial<HomeContent>) => {
      const text = sayHome(content);
      return [...text.matchAll(/"(?:home\.(?:on|back))","text":\{[^}]*"text":"(\w+)"/g)].map(
        ([, word]) => word,
      );
    };
    const lines = linesOf(calls);
    const lists = { waiting: { calls, next: 'call_x' }, asked: { open: [], over: [] } };
    const first = { ...waiting(...calls), lists, lines };
    assert.deepEqual(page(first), ['Newer']);
    assert.match(sayHome(first), /Page 1, oldest first; there are more.*"value":"waiting call_x"/);
    const state = { ...INITIAL_HOME, waiting: ['call_x'], asked: ['call_y'] };
    const asked = { open: calls, over: [], next: 'call_z' };
    const both = { ...first, lists: { ...lists, asked }, state };
    assert.deepEqual(page(both), ['Older', 'Newer', 'Newer', 'Older']);
    assert.match(sayHome(both), /Page 2, oldest first; there are more/);
  });
});
