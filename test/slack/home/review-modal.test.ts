import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { canonicalJson } from '../../../src/domain/json/json.ts';
import { validateView } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { actionIds } from '../../support/app/unrender-card.ts';
import { aCall, TWO_APPROVERS } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const tool = { schema: { properties: { path: {}, token: {} } }, secrets: ['token'] };
const withArgs = (args: object, patch: Partial<Call> = {}) =>
  aCall({ args: canonicalJson(args as never), ...patch });

describe('a review', () => {
  const review = (call: Call, page = 1) =>
    buildFullView(call, { page, tool, mayApprove: true, mark: TEST_MARK, isReview: true });
  const buttons = (view: { readonly blocks: readonly unknown[] }) => actionIds(view.blocks);

  it('has the content of the card, and every decision that the route allows', () => {
    const call = aCall({ words: 'I want this.' });
    const view = review(call);
    assert.deepEqual(validateView(view), []);
    const text = JSON.stringify(view);
    for (const part of ['Asked by', 'until ', 'please write a.txt', 'I want this.', 'a.txt']) {
      assert.ok(text.includes(part), part);
    }
    assert.deepEqual(buttons(view), ['call.approve', 'call.edit', 'call.reply', 'call.ignore']);
    const route = { ...TWO_APPROVERS, decisions: ['approve', 'ignore'] as const };
    assert.deepEqual(buttons(review(aCall({ route }))), ['call.approve', 'call.ignore']);
  });

  it('can be approved or settled only if all of it was in view', () => {
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
