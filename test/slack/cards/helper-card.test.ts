import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  validateMessage,
  validateView,
} from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { buildEditForm } from '../../../src/slack/forms/draw/edit-form.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { NO_DRAFT } from '../../../src/slack/forms/plan/form-node.ts';
import { planForm } from '../../../src/slack/forms/plan/plan-form.ts';
import { createFormMetadata } from '../../../src/slack/forms/read/form-metadata.ts';
import { dataTexts, outsideData } from '../../support/app/unrender-card.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

test('the card of a helper’s call names the helper and its requester', () => {
  const card = buildCallCard(aCall({ agent: 'research' }), { mark: TEST_MARK });
  assert.match(card.text, /\. Asked by helper research, for <@U1> in <#C1>\.$/);
  assert.match(JSON.stringify(card.blocks), /"Asked by helper research, for <@U1>"/);
  assert.deepEqual(validateMessage(card), []);
});

test('a helper’s name is never markup', () => {
  const card = buildCallCard(aCall({ agent: '<!here> & <@U2>' }), { mark: TEST_MARK });
  assert.ok(!JSON.stringify(card).includes('<!here>'));
  assert.ok(!JSON.stringify(card).includes('<@U2>'));
  assert.deepEqual(validateMessage(card), []);
});

test('the card of a helper’s call shows the helper’s task as data, which tells two helpers of one name apart', () => {
  const line = '<!here> *Check* the <https://evil.example|invoices>';
  const cards = [0, 1].map((position) =>
    buildCallCard(aCall({ agent: 'research', work: { line, position, siblings: 2 } }), {
      mark: TEST_MARK,
    }),
  );
  for (const [i, card] of cards.entries()) {
    const said = `helper research (task ${i + 1} of 2), for <@U1>`;
    assert.ok(card.text.includes(said));
    assert.ok(JSON.stringify(card.blocks).includes(said));
    assert.ok(dataTexts(card.blocks).includes(line));
    assert.doesNotMatch(JSON.stringify(outsideData(card)), /evil|<!here>/);
    assert.deepEqual(validateMessage(card), []);
  }
});

test('a call whose card was replaced says so in its full view and its edit form', () => {
  const note = 'What this works on has changed since it was shown.';
  const call = aCall({ note });
  const tool = {
    secrets: [],
    schema: { type: 'object', properties: { path: { type: 'string' } } },
  };
  const full = buildFullView(call, { page: 1, tool, mayApprove: true, mark: TEST_MARK });
  const form = buildEditForm(call, planForm(call, tool, NO_DRAFT), { meta: createFormMetadata() });
  for (const view of [full, form.view]) {
    assert.ok(JSON.stringify(view.blocks).includes(note));
    assert.deepEqual(validateView(view), []);
  }
});
