import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateMessage } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { aCall } from '../../support/a-call.ts';
import { TEST_MARK } from '../../support/test-mark.ts';

test('the card of a helper’s call says which helper asks, and for whom', () => {
  const card = buildCallCard(aCall({ agent: 'research' }), { mark: TEST_MARK });
  assert.match(card.text, /asked by helper research, for <@U1> · open to review$/);
  assert.match(
    JSON.stringify(card.blocks),
    /"\*Asked by\* helper research, for <@U1> · \*risk\* medium/,
  );
  assert.deepEqual(validateMessage(card), []);
});

test('a helper’s name is never markup', () => {
  const card = buildCallCard(aCall({ agent: '<!here> & <@U2>' }), { mark: TEST_MARK });
  assert.ok(!JSON.stringify(card).includes('<!here>'));
  assert.ok(!JSON.stringify(card).includes('<@U2>'));
  assert.deepEqual(validateMessage(card), []);
});
