import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KnownBlock } from '@slack/types';
import type { Call } from '../../../src/domain/call.ts';
import { encodeCardToken } from '../../../src/domain/digest.ts';
import { canonicalJson } from '../../../src/domain/json.ts';
import { validateView } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildFullView } from '../../../src/slack/forms/full-view.ts';
import {
  encodeHomePlace,
  goBack,
  goOn,
  HOME_START,
  parseHomePlace,
} from '../../../src/slack/home/home-place.ts';
import {
  buildHomeView,
  buildTroubleView,
  type HomeContent,
} from '../../../src/slack/home/home-view.ts';
import { LIMITS } from '../../../src/slack/limits.ts';
import { APPROVER, aCall, TWO_APPROVERS } from '../../support/a-call.ts';
import { TEST_MARK } from '../../support/test-mark.ts';
import { actionIds } from '../../support/unrender-card.ts';
import { TOOL } from '../slack-stage.ts';

const tool = { schema: { properties: { path: {}, token: {} } }, secrets: ['token'] };
const toolbox = { of: () => ({ ...TOOL, ...tool }) };
const look = { toolbox, mark: TEST_MARK };
const NOTHING: HomeContent = {
  waiting: { kind: 'page', calls: [] },
  asked: { open: [], over: [] },
  place: HOME_START,
  cards: new Map(),
  adminPart: [],
  at: 1_000,
};
const withArgs = (args: object, patch: Partial<Call> = {}) =>
  aCall({ args: canonicalJson(args as never), ...patch });
const many = (count: number, call: Call) =>
  Array.from({ length: count }, (_, i) => ({ ...call, id: `${call.id}${i}` }));
const sayHome = (content: Partial<HomeContent>) =>
  JSON.stringify(buildHomeView({ ...NOTHING, ...content }, look).blocks);
const waiting = (...calls: readonly Call[]) => ({ waiting: { kind: 'page', calls } as const });
const HOSTILE = '<!channel> *b* `x` <https://a|b>\u202e ';

describe('the fullest Home', () => {
  const args = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`${'k'.repeat(50)}${i}`, HOSTILE.repeat(200)]),
  );
  const long = withArgs(args, {
    tool: `${'x'.repeat(300)}<!here>`,
    agent: 'y'.repeat(300),
    route: TWO_APPROVERS,
    votes: [{ by: APPROVER, at: 1 }],
  });
  const over: Call = {
    ...long,
    status: 'ignored',
    verdict: { kind: 'ignore', by: APPROVER, at: 1 },
  };
  const full: HomeContent = {
    ...NOTHING,
    waiting: { kind: 'page', calls: many(8, long), next: long.id, doubt: 'Perhaps there is more.' },
    asked: { open: many(8, long), over: many(5, over), next: long.id },
    place: { waiting: ['a'], asked: ['b'] },
    cards: new Map([[`${long.id}1`, { channel: 'C7', ts: '1700000009.000100' }]]),
    note: 'You ignored it.',
  };
  const admin = (count: number) =>
    Array.from({ length: count }, (): KnownBlock => ({ type: 'divider' }));

  it('is within the limits of Slack, and leaves room for forty blocks of admins', () => {
    const view = buildHomeView({ ...full, adminPart: admin(40) }, look);
    assert.deepEqual(validateView(view), []);
    assert.ok(view.blocks.length <= LIMITS.viewBlocks);
    assert.ok(JSON.stringify(view).length < 60_000);
    assert.equal(view.blocks.filter(({ type }) => type === 'divider').length, 8 + 1 + 40);
  });

  it('says so where there is no room for all that admins have', () => {
    const view = buildHomeView({ ...full, adminPart: admin(95) }, look);
    assert.deepEqual(validateView(view), []);
    assert.equal(view.blocks.length, LIMITS.viewBlocks);
    assert.match(JSON.stringify(view.blocks.at(-1)), /no room here for all/);
  });

  it('has nothing of the agent’s that is markup, and no secret', () => {
    const secret = 'hunter2-and-more';
    const call = withArgs({ path: HOSTILE, token: secret, note: 'xoxb-123456789012-abcdefgh' });
    const text = sayHome({ ...waiting(call), asked: { open: [call], over: [] } });
    for (const hidden of [secret, 'xoxb-1234', '\u202e']) assert.ok(!text.includes(hidden), hidden);
    const { blocks } = buildHomeView({ ...full, ...waiting(call) }, look);
    const markup = JSON.stringify(blocks.filter(({ type }) => type !== 'rich_text'));
    for (const mark of ['<!channel>', '<!here>', 'https://a']) assert.ok(!markup.includes(mark));
    assert.ok(text.includes('{"type":"text","text":"<!channel> *b*'), 'shown as it is, as data');
  });
});

describe('an entry', () => {
  it('of a call that waits has the way to all of it, and Ignore only where that is no risk', () => {
    const buttons = (call: Call) => {
      const { blocks } = buildHomeView({ ...NOTHING, ...waiting(call) }, look);
      return actionIds(blocks.slice(1));
    };
    const call = aCall();
    assert.deepEqual(buttons(call), ['home.review', 'home.ignore']);
    assert.deepEqual(buttons(aCall({ risk: 'high' })), ['home.review']);
    assert.deepEqual(buttons(aCall({ status: 'unknown' })), ['home.review']);
    const route = { ...TWO_APPROVERS, decisions: ['approve'] as const };
    assert.deepEqual(buttons(aCall({ route })), ['home.review']);
    assert.ok(sayHome(waiting(call)).includes(`"value":"${encodeCardToken(call)}"`));
  });

  it('says what it is, who asks, since when and until when, and links to the card', () => {
    const call = aCall({ risk: 'high', route: TWO_APPROVERS, votes: [{ by: APPROVER, at: 1 }] });
    const card = { channel: 'C1', ts: '1700000009.000200' };
    const text = sayHome({ ...waiting(call), cards: new Map([[call.id, card]]) });
    for (const part of [
      'Write file (write_file)',
      '"name":"warning"',
      '"user_id":"U1"',
      '"timestamp":1,"format":"{ago}"',
      `"timestamp":${(call.deadlineAt ?? 0) / 1_000}`,
      '1 of 2 approvals',
      '"text":"a.txt","style":{"code":true}',
      'https://slack.com/archives/C1/p1700000009000200?thread_ts=1700000000.000100&cid=C1',
    ]) {
      assert.ok(text.includes(part), part);
    }
    assert.match(sayHome(waiting(call)), /archives\/C1\/p1700000000000100".*Open the thread/);
  });

  it('warns of arguments that look like something else', () => {
    const warns = (path: string) =>
      sayHome(waiting(withArgs({ path }))).includes('looks like something else');
    assert.ok(warns('сору secret.txt'));
    assert.ok(warns('a\u2215b'));
    assert.ok(!warns('copy secret.txt'));
    assert.ok(!warns('Не трогать файл с отчётом, пока нет ответа'));
  });

  it('says that arguments are too long for it, and not that there are none', () => {
    const long = sayHome(waiting(withArgs({ note: 'x'.repeat(40_000) })));
    assert.ok(
      long.includes('Arguments too long for this list …') && !long.includes('No arguments'),
    );
    assert.ok(sayHome(waiting(withArgs({}))).includes('No arguments'));
  });

  it('of a call that the person asked for says how it stands and who decided', () => {
    const verdict = { kind: 'ignore', by: APPROVER, at: 1 } as const;
    const text = sayHome({ asked: { open: [], over: [aCall({ status: 'ignored', verdict })] } });
    assert.match(text, /Nothing of it goes on now.*that are over.*Ignored.*"user_id":"U2"/);
    assert.ok(!text.includes('home.review') && !text.includes('home.ignore'));
  });
});

describe('a Home with little to tell', () => {
  it('says that nothing waits, only where that is known', () => {
    assert.match(sayHome({}), /Nothing waits for you\..*Nothing yet\./);
    const doubt = sayHome({ waiting: { kind: 'page', calls: [], doubt: 'Slack did not tell.' } });
    assert.ok(doubt.includes('Slack did not tell.') && !doubt.includes('Nothing waits'));
    const guest = sayHome({ waiting: { kind: 'nobody', why: 'You are a guest here.' } });
    assert.ok(guest.includes('You are a guest here.') && !guest.includes('Nothing waits'));
  });

  it('says when it could not be read, and can be asked again', () => {
    const view = buildTroubleView(HOME_START, 1_000);
    assert.deepEqual(validateView(view), []);
    assert.deepEqual(actionIds(view.blocks), ['home.refresh']);
  });
});

describe('pages', () => {
  it('are gone through from both ends, and said', () => {
    const calls = many(8, aCall());
    const page = (content: Partial<HomeContent>) => {
      const text = sayHome(content);
      return [...text.matchAll(/"(?:home\.(?:on|back))","text":\{[^}]*"text":"(\w+)"/g)].map(
        ([, word]) => word,
      );
    };
    const first = { waiting: { kind: 'page', calls, next: 'call_x' } as const };
    assert.deepEqual(page(first), ['Newer']);
    assert.match(sayHome(first), /More than 8 calls, oldest first.*"value":"waiting call_x"/);
    const place = { waiting: ['call_x'], asked: ['call_y'] };
    const asked = { open: calls, over: [], next: 'call_z' };
    assert.deepEqual(page({ ...first, asked, place }), ['Older', 'Newer', 'Newer', 'Older']);
    assert.match(sayHome({ ...first, place }), /Page 2, oldest first; there are more/);
  });

  it('are kept by the view, however many there are, within Slack’s limit', () => {
    let place = HOME_START;
    for (let i = 0; i < 500; i += 1) {
      place = goOn(goOn(place, 'waiting', `call_${'w'.repeat(50)}${i}`), 'asked', `call_${i}`);
    }
    const text = encodeHomePlace(place);
    assert.ok(text.length <= LIMITS.viewMetadata);
    assert.deepEqual(parseHomePlace(text), place);
    assert.equal(place.waiting.at(-1), `call_${'w'.repeat(50)}499`);
    assert.equal(goBack(place, 'waiting').waiting.at(-1), `call_${'w'.repeat(50)}498`);
    assert.deepEqual(goBack(HOME_START, 'asked'), HOME_START);
  });

  it('of a view that is none of ours are the first ones', () => {
    for (const text of ['', 'a', 'a;b;c', '<!channel>;', 'a b;']) {
      assert.deepEqual(parseHomePlace(text), HOME_START, text);
    }
  });
});

describe('a review', () => {
  const review = (call: Call, page = 1) =>
    buildFullView(call, { page, tool, mayApprove: true, mark: TEST_MARK, isReview: true });
  const buttons = (view: { readonly blocks: readonly unknown[] }) => actionIds(view.blocks);

  it('holds what the card holds, and every decision of the route', () => {
    const call = aCall({ words: 'I want this.' });
    const view = review(call);
    assert.deepEqual(validateView(view), []);
    const text = JSON.stringify(view);
    for (const part of ['Asked by', 'Decide by', 'please write a.txt', 'I want this.', 'a.txt']) {
      assert.ok(text.includes(part), part);
    }
    assert.deepEqual(buttons(view), ['call.approve', 'call.edit', 'call.reply', 'call.ignore']);
    const route = { ...TWO_APPROVERS, decisions: ['approve', 'ignore'] as const };
    assert.deepEqual(buttons(review(aCall({ route }))), ['call.approve', 'call.ignore']);
  });

  it('can be approved, or settled, only where all of it has been in view', () => {
    const long = { path: 'x'.repeat(20_000) };
    const first = buttons(review(withArgs(long)));
    assert.deepEqual(first, ['call.page', 'call.edit', 'call.reply', 'call.ignore']);
    assert.ok(buttons(review(withArgs(long), 9)).includes('call.approve'));
    const lost = (page: number) => buttons(review(withArgs(long, { status: 'unknown' }), page));
    assert.deepEqual(lost(1), ['call.page']);
    assert.deepEqual(lost(9).slice(1), [
      'call.settle-ran',
      'call.settle-rerun',
      'call.settle-leave',
    ]);
  });
});
