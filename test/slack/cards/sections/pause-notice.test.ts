import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CallStatus } from '../../../../src/domain/calls/call.ts';
import { buildCallCard } from '../../../../src/slack/cards/call-card.ts';
import { APPROVER, aCall } from '../../../support/builders/a-call.ts';
import { TEST_MARK } from '../../../support/test-secret-mark.ts';

const paused = { by: APPROVER, at: 1_000 };
const card = (status: CallStatus, look: object) =>
  JSON.stringify(buildCallCard(aCall({ status }), { mark: TEST_MARK, ...look }).blocks);

it('only an open card says that nothing runs during a pause', () => {
  const words = /Paused by <@U2> since <!date[^>]*>: nothing runs until an admin resumes\./;
  for (const status of ['pending', 'approved', 'unknown'] as const) {
    assert.match(card(status, { paused }), words, status);
    assert.doesNotMatch(card(status, {}), words, status);
  }
  for (const status of ['running', 'succeeded', 'ignored', 'expired'] as const) {
    assert.doesNotMatch(card(status, { paused }), words, status);
  }
});
