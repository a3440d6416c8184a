/** A card in an approver channel, over signed HTTP: who is mentioned, who can open it, and who may press what. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { WorkspaceMessage } from '../../../src/playground/workspace/workspace-port.ts';
import { allText, type Place, says } from '../../support/app/scene.ts';
import { type MockAnswer, sayText } from '../../support/servers/mock-model.ts';
import { buttonsOf, sayCall } from '../field-reports/field-stage.ts';
import { type InnerStage, setInnerStage } from '../field-reports/inner-stage.ts';

describe('an approver channel', () => {
  let stage: InnerStage;
  let approvals: string;
  let group: string;

  before(async () => {
    stage = await setInnerStage('http', { DIGEST_OVER: '3', ADMIN_USERS: 'U0ADMIN' });
    approvals = stage.workspace.channel('approvals').id;
    group = stage.workspace.setUserGroup('ops-approvers', ['approver', 'admin']);
  });
  after(() => stage.close());
  // Keeps the cards of these tests below the size of a burst.
  beforeEach(() => stage.clock.advance(120_000));

  function route(patch: Partial<Route> = {}): void {
    const approvers = [`usergroup:${group}` as const];
    const ops = { name: 'ops', approvers, channel: approvals, selfApproval: false, ...patch };
    stage.setGate(() => ({ kind: 'ask', route: { ...REQUESTER_ROUTE, ...ops } }));
  }

  function play(...answers: readonly MockAnswer[]): void {
    stage.model.script((_request, index) => {
      const answer = answers[index];
      if (!answer) throw new Error(`The model was asked ${index + 1} times.`);
      return answer;
    });
  }

  /** The top-level messages of a channel, as this member sees them. */
  const inChannel = (channel: string, member = 'approver'): readonly WorkspaceMessage[] =>
    stage.workspace
      .see(member)
      .messages.filter((each) => each.channel === channel && each.threadTs === undefined);

  const ofType = (messages: readonly WorkspaceMessage[], type: string) =>
    messages.filter(({ metadata }) => metadata?.event_type === `countersign_${type}`);

  const wait = <T>(what: string, look: () => T | undefined): Promise<T> =>
    stage.workspace.waitFor(look, { timeoutMs: 20_000, describe: () => `No ${what}.` });

  const cardWith = (channel: string, ...parts: readonly string[]): Promise<WorkspaceMessage> =>
    wait(`card with ${parts.join(', ')}`, () =>
      ofType(inChannel(channel), 'card').find((card) => parts.every((part) => says(card, part))),
    );

  const stubWith = (place: Place, ...parts: readonly string[]): Promise<WorkspaceMessage> =>
    wait(`stub with ${parts.join(', ')}`, () =>
      ofType(stage.thread(place), 'stub').find((stub) => parts.every((part) => says(stub, part))),
    );

  /** Advances the time until there is something to see. */
  async function advanceUntil<T>(look: () => T | undefined): Promise<T> {
    for (let second = 0; second < 200; second += 1) {
      await stage.clock.advance(1_000);
      const seen = await stage.workspace.waitFor(look, { timeoutMs: 50 }).catch(() => undefined);
      if (seen !== undefined) return seen;
    }
    throw new Error('It did not come in 200 seconds.');
  }

  /** The requests of the app to one method. */
  const requests = (method: string) =>
    stage.workspace.journal
      .filter(({ name }) => name === method)
      .map(({ request }) => request as Readonly<Record<string, unknown>>);

  async function askForCard(text: string, patch: Partial<Route> = {}) {
    route(patch);
    play(sayCall('note', { text }), sayText(`${text} is over.`));
    const place = await stage.ask('requester', `note ${text} for me`);
    const card = await cardWith(patch.channel ?? approvals, text, 'Waiting for a decision');
    return { place, card };
  }

  const threadOf = (card: WorkspaceMessage): Place => ({ channel: card.channel, root: card.ts });

  it('gets the card with a link to the thread, and the group is mentioned once', async () => {
    const { card, place } = await askForCard('linked');
    const text = allText(card);
    assert.match(text, /waiting for <!subteam\^S0OPSAPPROVERS>/);
    assert.ok(text.includes(`/archives/${place.channel}/p${place.root.replace('.', '')}|open the`));
    assert.match(text, /note linked for me/);
    // The card names the requester, who is mentioned in their own thread.
    assert.match(text, /Asked by `Riley \(requester\)`/);
    assert.doesNotMatch(text, /<@U0REQUESTER>/);
    const stub = await stubWith(place, 'waiting for');
    // Not everybody who reads the thread can open that channel.
    assert.ok(allText(stub).includes(`<#${approvals}>`));
    assert.doesNotMatch(allText(stub), /archives/);
    assert.deepEqual(buttonsOf(stub), []);
    assert.doesNotMatch(JSON.stringify(stub.blocks), /subteam/);
    assert.match(allText(stub), /waiting for @ops-approvers/);
    assert.equal(requests('agents.sessions.setStatus').at(-1)?.status, 'suspended');
    assert.deepEqual(requests('assistant.threads.setStatus'), []);
    await stage.press('approver', card, 'call.approve');
    await stage.answer(place, 'linked is over.');
    await stubWith(place, 'Done', 'approved by <@U0APPROVER>');
    const after = await cardWith(approvals, 'linked', 'Done');
    assert.doesNotMatch(allText(after), /subteam/);
    const calls = requests('chat.postMessage').filter((each) =>
      JSON.stringify(each).includes('<@U0REQUESTER>'),
    );
    assert.equal(calls.length, 1);
    await stage.answer(place, '<@U0REQUESTER> *Note: linked* was approved.');
  });

  it('shows refusals and forms at the card, and answers late presses there', async () => {
    const { card, place } = await askForCard('pressed');
    const { id, teamId } = stage.workspace.member('requester');
    await stage.press('approver', card, 'call.edit');
    await stage.form('approver', 'Edit the call');
    const opened = stage.workspace.journal.findLast(({ name }) => name === 'block_actions');
    const payload = { ...(opened?.request as object), user: { id, team_id: teamId } };
    const press = { ...payload, actions: actionsOf(card, 'call.approve') };
    await stage.workspace.deliverInteraction(press);
    await stage.privately('requester', 'Only @ops-approvers may decide this call.');
    await stage.workspace.submit('approver', { text: 'pressed and edited' });
    await stage.answer(place, 'pressed is over.');
    await stage.workspace.deliverInteraction({
      ...payload,
      user: { id: stage.workspace.member('admin').id, team_id: teamId },
      actions: actionsOf(card, 'call.ignore'),
    });
    const late = await stage.privately('admin', 'Nothing changed');
    assert.deepEqual([late.channel, late.threadTs], [approvals, undefined]);
  });

  it('lets people talk below the card, and explains the buttons to those who try to decide by message', async () => {
    const { card, place } = await askForCard('talked');
    const count = stage.model.requests.length;
    await stage.write('approver', threadOf(card), 'Is this in the plan?');
    await stage.write('admin', threadOf(card), 'approve');
    const pointer = await stage.privately('admin', 'use the buttons on the card');
    assert.deepEqual([pointer.channel, pointer.threadTs], [approvals, card.ts]);
    await stage.write('approver', threadOf(card), `\${bot} what is this?`);
    await stage.privately('approver', 'use the buttons on the card');
    const pointers = requests('chat.postEphemeral').filter((each) =>
      JSON.stringify(each).includes('below my cards'),
    );
    assert.equal(pointers.length, 2);
    assert.equal(stage.model.requests.length, count);
    await stage.press('approver', card, 'call.ignore');
    await stubWith(place, 'Ignored');
    await stage.answer(place, 'was ignored: nothing was run.');
  });

  it('gets both messages again after their deletion, and mentions nobody twice', async () => {
    const { card, place } = await askForCard('deleted', { quorum: 2 });
    const stub = await stubWith(place, 'waiting for');
    for (const { channel, ts } of [card, stub]) {
      await fetch(`${stage.workspace.apiUrl}chat.delete`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${stage.workspace.botToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ channel, ts }),
      });
    }
    await stage.workspace.deliverInteraction(pressOf(card, 'approver', 'call.approve'));
    const again = await cardWith(approvals, 'deleted', '1 of 2');
    assert.notEqual(again.ts, card.ts);
    assert.doesNotMatch(allText(again), /subteam/);
    const next = await stubWith(place, 'waiting for');
    assert.notEqual(next.ts, stub.ts);
    await stage.press('admin', again, 'call.approve');
    await stage.answer(place, 'deleted is over.');
  });

  it('without the app is reported to the requester and the admin, and gets the card once the app joins', async () => {
    const { id: finance } = stage.workspace.channel('finance');
    route({ channel: finance });
    play(sayCall('note', { text: 'invited' }), sayText('invited is over.'));
    const place = await stage.ask('requester', 'note invited');
    await wait('refused card', () => {
      const last = stage.workspace.journal.findLast(({ name }) => name === 'chat.postMessage');
      return (last?.answer as { error?: string })?.error === 'not_in_channel' ? true : undefined;
    });
    // Only a failure that lasts a minute is reported; retries go on meanwhile.
    await advanceUntil(() =>
      stage.workspace
        .see('requester')
        .messages.find((each) => allText(each).includes('where it should be decided')),
    );
    await stage.privately('admin', 'sends its cards to');
    await stubWith(place, 'I can’t show the card in', '/invite');
    await stage.workspace.join('countersign', 'finance');
    await stage.clock.advance(300_000);
    const card = await cardWith(finance, 'invited', 'Waiting for a decision');
    await stage.privately('requester', 'can be shown again');
    await stubWith(place, 'waiting for');
    await stage.press('approver', card, 'call.approve');
    await stage.answer(place, 'invited is over.');
  });

  it('keeps a closed card with a link when the call moves to another channel', async () => {
    const lead: Route = {
      ...REQUESTER_ROUTE,
      name: 'lead',
      channel: stage.workspace.channel('ops').id,
      approvers: ['user:U0ADMIN'],
    };
    const { card, place } = await askForCard('moved', { escalate: { afterMs: 600_000, to: lead } });
    await stage.clock.advance(660_000);
    const next = await cardWith(lead.channel ?? '', 'moved', 'waiting for <@U0ADMIN>');
    const closed = await wait('closed card', () =>
      ofType(inChannel(approvals), 'left').find(({ ts }) => ts === card.ts),
    );
    assert.match(allText(closed), /moved to another channel.*<#C0OPS>.*Open the card/s);
    assert.deepEqual(buttonsOf(closed), []);
    await stubWith(place, '<#C0OPS>');
    await stage.workspace.deliverInteraction(pressOf(card, 'admin', 'call.approve'));
    await stage.privately('admin', 'This card is out of date');
    await stage.press('admin', next, 'call.approve');
    await stage.answer(place, 'moved is over.');
  });

  it('lets the requester ask again in the thread, where they do not see the card', async () => {
    const { place } = await askForCard('expired', { deadlineMs: 60_000 });
    await stage.clock.advance(61_000);
    const stub = await stubWith(place, 'Expired');
    assert.deepEqual(buttonsOf(stub), ['call.ask-again']);
    play(sayText('Not this time.'));
    await stage.press('requester', stub, 'call.ask-again');
    await stage.answer(place, 'Not this time.');
  });

  it('gets one digest that counts down when many cards arrive at once', async () => {
    route();
    const burstCards = () =>
      ofType(inChannel(approvals), 'card').filter((card) => allText(card).includes('crowd'));
    // The calls of one message would share one card.
    const burstTexts = Array.from({ length: 6 }, (_, n) => `crowd ${n}`);
    play(
      ...burstTexts.map((text) => sayCall('note', { text })),
      ...burstTexts.map(() => sayText('Over.')),
    );
    const places: Place[] = [];
    for (const text of burstTexts) {
      places.push(await stage.ask('requester', `note ${text}`));
      await advanceUntil(() => (burstCards().length === places.length ? true : undefined));
    }
    const digest = (text: string) => {
      const [only, ...more] = ofType(inChannel(approvals), 'bulletin');
      assert.deepEqual(more, []);
      return only && allText(only).includes(text) ? only : undefined;
    };
    await advanceUntil(() => digest('6 calls are waiting for a decision in this channel'));
    const called = requests('chat.postMessage').filter(
      (each) =>
        JSON.stringify(each).includes('<!subteam^') &&
        /crowd|calls are waiting/.test(JSON.stringify(each)),
    );
    assert.equal(called.length, 4);
    for (const card of burstCards()) await stage.press('approver', card, 'call.approve');
    for (const place of places) await stage.answer(place, 'Over.');
    await advanceUntil(() => digest('No calls are waiting. There have been 6 since'));
  });

  function actionsOf(card: WorkspaceMessage, actionId: string) {
    const blocks = card.blocks as readonly { elements?: readonly Record<string, unknown>[] }[];
    const button = blocks
      .flatMap(({ elements = [] }) => elements)
      .find(({ action_id }) => action_id === actionId);
    return [{ ...button, block_id: 'b1', action_ts: card.ts }];
  }

  /** A press on a message that was removed meanwhile, or that came from another window. */
  function pressOf(card: WorkspaceMessage, member: string, actionId: string) {
    const { id, teamId } = stage.workspace.member(member);
    const last = stage.workspace.journal.findLast(({ name }) => name === 'block_actions');
    return {
      ...(last?.request as object),
      user: { id, team_id: teamId },
      channel: { id: card.channel },
      container: { type: 'message', channel_id: card.channel, message_ts: card.ts },
      message: { ts: card.ts, bot_id: stage.workspace.app.botId },
      actions: actionsOf(card, actionId),
    };
  }
});
