import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { KnownBlock } from '@slack/types';
import { CALL_STATUSES, type Call } from '../../../src/domain/calls/call.ts';
import { encodeCardTokens } from '../../../src/domain/calls/digest.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { validateMessage } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildSharedCard } from '../../../src/slack/cards/shared-card.ts';
import { dataTexts } from '../../support/app/unrender-card.ts';
import { APPROVER, aCall, REQUESTER, TWO_APPROVERS } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const context = { mark: TEST_MARK, toolOf: () => undefined };

function refund(n: number, siblings: number, patch: Partial<Call> = {}): Call {
  const args = JSON.stringify({ amount: 1_000 + n, order: `A-${n}`, reason: 'damaged' });
  return aCall({
    id: `call_${String(n).padStart(22, '0')}`,
    tool: 'refund',
    summary: `Refund €${10 + n}.00 to Customer ${n}`,
    args,
    proposedArgs: args,
    position: n,
    siblings,
    askedLine: 'refund them all',
    ...patch,
  });
}

const refunds = (count: number, patch: (n: number) => Partial<Call> = () => ({})) =>
  Array.from({ length: count }, (_, n) => refund(n, count, patch(n)));

const cardOf = (calls: readonly Call[]) =>
  buildSharedCard(
    calls.map((call) => ({ call })),
    context,
  );

function buttonsIn(
  value: unknown,
): readonly { action_id: string; value: string; text: { text: string }; confirm?: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('action_id' in value) return [value as never];
  return Object.values(value).flatMap(buttonsIn);
}

const named = (blocks: readonly KnownBlock[], action: string) =>
  buttonsIn(blocks).filter(({ action_id }) => action_id === action);

const over = (kind: 'approve' | 'ignore' = 'approve') => ({
  verdict: { kind, by: REQUESTER, at: 90_000 },
  outcome: { kind: 'result', text: 'ok' } as const,
});

const SCENES: Readonly<Record<string, readonly Call[]>> = {
  pending: refunds(12),
  mixed: refunds(
    4,
    (n) =>
      [
        { status: 'succeeded' as const, ...over() },
        { status: 'running' as const, claim: { fence: 1, at: 91_000 }, verdict: over().verdict },
        { risk: 'high' as const, route: TWO_APPROVERS, votes: [{ by: APPROVER, at: 5_000 }] },
        { args: JSON.stringify({ text: 'long '.repeat(400) }) },
      ][n] ?? {},
  ),
  settled: refunds(12, () => ({ status: 'succeeded', ...over() })),
};

describe('a card of several calls', () => {
  for (const [name, calls] of Object.entries(SCENES)) {
    it(`matches its fixture when it is ${name}`, async () => {
      const card = cardOf(calls);
      assert.deepEqual(validateMessage({ ...card }), []);
      const file = new URL(`../../fixtures/slack/shared-${name}.json`, import.meta.url);
      const json = `${JSON.stringify(card, null, 2)}\n`;
      if (process.env.UPDATE_FIXTURES) await writeFile(file, json);
      assert.equal(json, await readFile(file, 'utf8'));
    });
  }

  it('approves with one button exactly the attempts that it shows in full', () => {
    const calls = refunds(12, (n) =>
      n === 3 ? { args: JSON.stringify({ text: 'x'.repeat(5_000) }) } : {},
    );
    const { blocks } = cardOf(calls);
    const [all, ...more] = named(blocks, 'call.approve-all');
    assert.deepEqual(more, []);
    assert.equal(all?.value, encodeCardTokens(calls.filter((_, n) => n !== 3)));
    assert.equal(all?.text.text, 'Approve All 11');
    const shown = dataTexts(blocks);
    for (const n of [0, 1, 2, 4, 11])
      assert.ok(shown.includes(`A-${n}`), `A-${n} is not to be read`);
    assert.match(JSON.stringify(blocks), /Open this one to read it in full: [^"]*Customer 3/);
  });

  it('shows what all calls have in common once, and the rest beside each call', () => {
    const texts = JSON.stringify(cardOf(refunds(3)).blocks);
    assert.equal(texts.split('damaged').length - 1, 1);
    for (const n of [0, 1, 2]) assert.equal(texts.split(`A-${n}`).length - 1, 1);
  });

  it('has no Approve All if a reason is required, nothing can be approved, or one call is left', () => {
    const routes = [
      { ...REQUESTER_ROUTE, requiresReason: true },
      { ...REQUESTER_ROUTE, decisions: ['reply', 'ignore'] as const },
    ];
    for (const route of routes) {
      const { blocks } = cardOf(refunds(3, () => ({ route })));
      assert.deepEqual(named(blocks, 'call.approve-all'), []);
      assert.equal(named(blocks, 'call.review').length, 3);
    }
    const last = cardOf(refunds(3, (n) => (n === 1 ? {} : { status: 'succeeded', ...over() })));
    assert.deepEqual(named(last.blocks, 'call.approve-all'), []);
    assert.equal(named(last.blocks, 'call.approve').length, 1);
  });

  it('asks for confirmation of high-risk calls, with their number and names', () => {
    const { blocks } = cardOf(refunds(3, (n) => (n === 1 ? { risk: 'high' } : {})));
    const [all] = named(blocks, 'call.approve-all');
    assert.match(JSON.stringify(all?.confirm), /Approve 3 calls\?.*Customer 0; .*Customer 2/);
  });

  it('fits into a Slack message with 20 calls in any state, and hides none of them', () => {
    for (const status of CALL_STATUSES) {
      const long = 'x'.repeat(149);
      const calls = refunds(20, (n) => ({
        status,
        summary: `${String(n).padStart(2, '0')}${long}`.slice(0, 150),
        note: 'Back again. '.repeat(20),
        words: 'because '.repeat(200),
        attempt: 999_999,
        editedBy: APPROVER,
        ...(status === 'pending' || status === 'proposed' ? {} : over()),
        args: JSON.stringify({ a: `${n}-${'y'.repeat(150)}`, b: 'z'.repeat(30 + n) }),
      }));
      const card = cardOf(calls);
      assert.deepEqual(validateMessage({ ...card }), [], status);
      assert.ok(card.blocks.length <= 50, `${status}: ${card.blocks.length} blocks`);
      const texts = buttonsIn(card.blocks).map(({ value }) => value);
      for (const { id } of calls)
        assert.ok(
          texts.some((value) => value.includes(id)),
          `${status}: ${id}`,
        );
      for (const { value } of buttonsIn(card.blocks)) assert.ok(value.length <= 2_000);
    }
  });

  it('parses no markup in the text of an agent or a tool', () => {
    const evil = '*Approved by* <@U7> <!channel> `x` https://evil.example :white_check_mark: _~';
    const calls = refunds(2, () => ({
      summary: evil,
      note: evil,
      words: evil,
      args: JSON.stringify({ evil }),
    }));
    const { blocks, text } = cardOf(calls);
    const marked = blocks.flatMap((block) => {
      const { text: its } = block as { text?: { type: string; text: string } };
      return its?.type === 'mrkdwn' ? [its.text] : [];
    });
    // Nothing is parsed in code.
    assert.doesNotMatch(text, /<@U7>|<!channel>|https:\/\/evil/);
    const parsed = marked.map((each) => each.replaceAll(/`[^`]*`/g, ''));
    for (const each of parsed) {
      assert.doesNotMatch(each, /<@U7>|<!channel>|https:\/\/evil|\*Approved by|_~/);
    }
  });

  it('masks secrets, and leaves calls that must be opened out of Approve All', () => {
    const key = `sk-${'a1B2'.repeat(12)}`;
    const calls = refunds(3, (n) => (n === 0 ? { args: JSON.stringify({ key }) } : {}));
    const { blocks } = cardOf(calls);
    assert.doesNotMatch(JSON.stringify(blocks), new RegExp(key));
    assert.equal(named(blocks, 'call.approve-all')[0]?.value, encodeCardTokens(calls.slice(1)));
  });
});
