/** A graph that asks about several tools in one request, behind the desk: each is a call of its own. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { askAll } from '../../support/desk/build-desk.ts';
import { buildGraphDesk, type GraphDesk } from './graph-desk.ts';

const SEARCH = 'search {"query":"refunds","most":3}';
const MAIL = 'send_mail {"to":"ann@example.com"}';

const lastSaid = (desk: GraphDesk) => JSON.parse(desk.said().at(-1) ?? '') as unknown;

function textOf({ outcome }: Call): string {
  return outcome && 'text' in outcome ? outcome.text : `${outcome?.kind}`;
}

it('a card shows the tool and its arguments, and each decision is encoded as the graph reads it', async (t) => {
  const desk = await buildGraphDesk(t, 'tool-execution');
  const decide = async (act: (call: Call) => Promise<unknown>): Promise<unknown> => {
    await desk.send('look');
    const call = await desk.open('refunds');
    assert.equal(call.tool, 'search');
    assert.deepEqual(JSON.parse(call.args), { query: 'refunds', most: 3 });
    assert.equal(call.words, 'Tools that are ready to run.');
    await act(call);
    return lastSaid(desk);
  };
  assert.deepEqual(await decide(desk.approve), { type: 'accept' });
  const args = { query: 'vouchers', most: 1 };
  const edit = (call: Call) => desk.decide(call, REQUESTER, { kind: 'edit', args });
  assert.deepEqual(await decide(edit), { type: 'edit', args: { args: { search: args } } });
  const reply = (call: Call) => desk.reply(call, 'Not today.');
  assert.deepEqual(await decide(reply), { type: 'response', args: 'Not today.' });
  assert.deepEqual(await decide(desk.ignore), { type: 'ignore' });
  assert.deepEqual(await desk.ran(), [SEARCH, 'search {"most":1,"query":"vouchers"}']);
  const [ran] = await desk.calls();
  assert.equal(ran && textOf(ran), 'Ran search.');
});

it('several tools are several calls, each under its policy; the graph gets one answer after the last decision', async (t) => {
  const ask = askAll();
  const seen = new Map<string, unknown>();
  const gate: Gate = (facts) => {
    seen.set(facts.tool, facts.args);
    return facts.tool === 'search' ? { kind: 'run' } : ask(facts);
  };
  const desk = await buildGraphDesk(t, 'tool-execution', { gate });
  await desk.send('both');
  assert.deepEqual(
    [...seen],
    [
      ['search', { query: 'refunds', most: 3 }],
      ['send_mail', { to: 'ann@example.com' }],
    ],
  );
  assert.deepEqual(await desk.ran(), []);
  await desk.restart();
  const mail = await desk.open('ann@example.com');
  const args = { to: 'bob@example.com' };
  await desk.decide(mail, REQUESTER, { kind: 'edit', args });
  assert.deepEqual(await desk.ran(), [SEARCH, 'send_mail {"to":"bob@example.com"}']);
  assert.deepEqual((await desk.calls()).map(textOf), ['Ran search.', 'Ran send_mail.']);
});

it('nothing runs unless all of them are approved, and the card of an approved one says so', async (t) => {
  for (const refuse of ['reply', 'ignore'] as const) {
    const desk = await buildGraphDesk(t, 'tool-execution');
    await desk.send('both');
    await desk.approve(await desk.open('refunds'));
    const mail = await desk.open('ann@example.com');
    await (refuse === 'reply' ? desk.reply(mail, 'No mail.') : desk.ignore(mail));
    const response = { type: 'response', args: 'No mail.' };
    assert.deepEqual(lastSaid(desk), refuse === 'reply' ? response : { type: 'ignore' });
    assert.deepEqual(await desk.ran(), []);
    const [search, other] = await desk.calls();
    assert.equal(search?.status, 'failed');
    assert.match(search ? textOf(search) : '', /^Not run: .* drops approved calls/);
    assert.equal(other?.status, refuse === 'reply' ? 'replied' : 'ignored');
  }
});

it('nothing runs if the policy refuses one or nobody decides, and the graph gets the reason', async (t) => {
  const refusing: Gate = ({ tool }) =>
    tool === 'search' ? { kind: 'run' } : { kind: 'refuse', reason: 'Never mail.' };
  const refused = await buildGraphDesk(t, 'tool-execution', { gate: refusing });
  await refused.send('both');
  assert.match(refused.said().at(-1) ?? '', /"type":"response".*Never mail\./);
  assert.deepEqual(await refused.ran(), []);

  const desk = await buildGraphDesk(t, 'tool-execution');
  await desk.send('both');
  await desk.approve(await desk.open('refunds'));
  await desk.clock.advance(25 * 3_600_000);
  await desk.rest();
  assert.match(desk.said().at(-1) ?? '', /"type":"response".*nobody decided in time/);
  assert.deepEqual(await desk.ran(), []);
});

it('approved together, they run with exactly the arguments shown', async (t) => {
  const desk = await buildGraphDesk(t, 'tool-execution');
  await desk.send('both');
  await desk.approve(await desk.open('refunds'));
  await desk.approve(await desk.open('ann@example.com'));
  assert.deepEqual(lastSaid(desk), { type: 'accept' });
  assert.deepEqual(await desk.ran(), [SEARCH, MAIL]);
});
