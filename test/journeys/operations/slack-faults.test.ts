/** Each Slack method needed for a card, and each way in which it fails, on a manual clock. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ApiFault } from '../../../src/playground/workspace/workspace-port.ts';
import { allText, type Place, says } from '../../support/app/scene.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { buttonsOf, sayCall } from '../field-reports/field-stage.ts';
import { type InnerStage, setInnerStage } from '../field-reports/inner-stage.ts';

const PASSING: readonly (readonly [string, ApiFault])[] = [
  ['429 with 30 s', { kind: 'rate-limited', retryAfterS: 30 }],
  ['500', { kind: 'status', status: 500 }],
  ['503 with a page', { kind: 'status', status: 503, body: '<html>Away</html>' }],
  ['a lost answer', { kind: 'lost' }],
  ['a reset', { kind: 'reset' }],
  ['internal_error', { kind: 'error', error: 'internal_error' }],
  ['200 that is no JSON', { kind: 'status', status: 200, body: '<html>Hello</html>' }],
];
const FIXABLE_ERRORS = [
  'invalid_auth',
  'token_revoked',
  'channel_not_found',
  'is_archived',
  'not_in_channel',
];
const METHODS = [
  'chat.postMessage',
  'chat.update',
  'agents.sessions.setStatus',
  'users.info',
] as const;

describe('Slack failures', () => {
  let stage: InnerStage;
  let notes = 0;
  before(async () => {
    stage = await setInnerStage('http');
  });
  after(() => stage.close());
  beforeEach(() => stage.workspace.faults.clear());

  /** Advances the time until the condition holds, but not during requests to Slack. */
  async function advanceUntil<T>(
    look: () => T | undefined,
    what: string,
    mostMs = 3_600_000,
  ): Promise<T> {
    const until = stage.clock.now() + mostMs;
    while (stage.clock.now() < until) {
      const found = look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
      if (!isAsking()) await stage.clock.advance(200);
    }
    throw new Error(`It never came: ${what}`);
  }

  const isAsking = () =>
    stage.workspace.journal
      .slice(-50)
      .some(({ kind, answer, ok }) => kind === 'api' && (answer ?? ok) === undefined);

  async function passTime(ms: number): Promise<void> {
    const end = stage.clock.now() + ms;
    await advanceUntil(() => (stage.clock.now() > end ? true : undefined), 'the time', 2 * ms);
  }

  const cardSaying = (place: Place, words: string) => () =>
    stage.cards(place).find((card) => says(card, words));

  const answerIn = (place: Place, words: string) => () =>
    stage.thread(place).find((each) => each.botId && allText(each).includes(words));

  async function runs(note: string): Promise<number> {
    const text = await readFile(stage.runJournal, 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line.includes(JSON.stringify(note))).length;
  }

  /** A conversation in which a tool is approved, started while the method fails. */
  async function playConversation(method: string, fault: ApiFault, times: number): Promise<void> {
    notes += 1;
    const note = `note-${notes}.`;
    // The profiles of people are looked up again after a while.
    await stage.clock.advance(6 * 60_000);
    stage.model.script((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? sayText(`Done: ${note}`)
        : sayCall('note', { text: note }),
    );
    const countFaults = () =>
      stage.workspace.journal.filter(({ problem }) => problem?.startsWith('fault')).length;
    const before = countFaults();
    stage.workspace.faults.api(method, fault, times);
    const place = await stage.ask('requester', 'note it');
    const card = await advanceUntil(cardSaying(place, 'Waiting for a decision'), 'the card');
    assert.equal(await runs(note), 0);
    const press = async () => (await stage.press('requester', card, 'call.approve')).kind;
    assert.equal(await press(), 'acknowledged');
    const done = await advanceUntil(cardSaying(place, 'Done'), 'the result');
    await advanceUntil(answerIn(place, `Done: ${note}`), 'the answer');
    // Long after all back-offs.
    await passTime(60_000);
    assert.equal(countFaults() - before, times, 'The fault did not hit.');
    assert.deepEqual(buttonsOf(done), ['call.open']);
    assert.equal(stage.cards(place).length, 1);
    const said = stage.thread(place).filter((each) => allText(each).includes(`Done: ${note}`));
    assert.equal(said.length, 1);
    assert.equal(await runs(note), 1);
  }

  for (const method of METHODS) {
    for (const [what, fault] of PASSING) {
      it(`${method}: ${what} loses no card and creates no second one`, async () => {
        await playConversation(method, fault, 1);
      });
    }
  }

  for (const [what, fault] of PASSING) {
    it(`conversations.replies: ${what}, after a post whose response was lost, creates no second card`, async () => {
      stage.workspace.faults.api('conversations.replies', fault);
      await playConversation('chat.postMessage', { kind: 'lost' }, 1).catch((error: unknown) => {
        // Both faults are counted.
        assert.match(String(error), /The fault did not hit[\s\S]*2 !== 1/);
      });
    });
  }

  it('a 429 of one method delays no other method and no other thread', async () => {
    stage.model.script((request) =>
      request.messages.at(-1)?.role === 'tool' ? sayText('Fine.') : sayCall('note', { text: 'x' }),
    );
    const first = await stage.ask('requester', 'note it');
    const card = await advanceUntil(cardSaying(first, 'Waiting for a decision'), 'the card');
    stage.workspace.faults.api('chat.update', { kind: 'rate-limited', retryAfterS: 30 });
    const at = stage.clock.now();
    await stage.press('requester', card, 'call.approve');
    await advanceUntil(answerIn(first, 'Fine.'), 'the answer beside it', 20_000);
    const second = await stage.ask('requester', 'note it too');
    const other = await advanceUntil(
      cardSaying(second, 'Waiting for a decision'),
      'the other card',
      20_000,
    );
    await stage.press('requester', other, 'call.approve');
    await advanceUntil(cardSaying(second, 'Done'), 'the other result', 20_000);
    assert.ok(stage.clock.now() - at < 30_000);
    await advanceUntil(cardSaying(first, 'Done'), 'the result');
  });

  for (const error of FIXABLE_ERRORS) {
    it(`${error}: the call can still be decided, nothing approves it, and its card is updated once that is fixed`, async () => {
      notes += 1;
      const note = `mend-${notes}.`;
      stage.model.script((request) =>
        request.messages.at(-1)?.role === 'tool'
          ? sayText('Mended.')
          : sayCall('note', { text: note }),
      );
      const posts = () =>
        stage.workspace.journal.filter(({ name }) => name === 'chat.postMessage').length;
      stage.workspace.faults.api('*', { kind: 'error', error }, 10_000);
      const before = posts();
      const place = await stage.ask('requester', 'note it');
      for (let minutes = 0; minutes < 60; minutes += 1) {
        await stage.clock.advance(60_000);
        await advanceUntil(() => (isAsking() ? undefined : true), 'the answers');
      }
      assert.ok(posts() > before);
      assert.ok(posts() - before < 60, `${posts() - before} posts in an hour.`);
      assert.equal(await runs(note), 0);
      const ready = async () => await fetch(`${stage.app().url}/readyz`);
      await ready();
      await advanceUntil(() => (isAsking() ? undefined : true), 'the answer');
      if (error.startsWith('invalid') || error.startsWith('token')) {
        const answer = await ready();
        assert.equal(answer.status, 503);
        assert.match(await answer.text(), /slack: .*SLACK_BOT_TOKEN/);
      }
      stage.workspace.faults.clear();
      const card = await advanceUntil(cardSaying(place, 'Waiting for a decision'), 'the card');
      stage.workspace.faults.api('chat.update', { kind: 'error', error }, 3);
      const ack = await stage.press('requester', card, 'call.approve');
      assert.equal(ack.kind, 'acknowledged');
      await advanceUntil(answerIn(place, 'Mended.'), 'the answer');
      await advanceUntil(cardSaying(place, 'Done'), 'the result');
      assert.equal(stage.cards(place).length, 1);
      assert.equal(await runs(note), 1);
    });
  }
});
