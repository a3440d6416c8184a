import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call, CallStatus } from '../../../src/domain/calls/call.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { buildStub } from '../../../src/slack/cards/stub.ts';
import { APPROVER, aCall, TWO_APPROVERS } from '../../support/builders/a-call.ts';

const CARD = { channel: 'C9', ts: '1.000001' };

function refused(status: CallStatus, card: typeof CARD | undefined): string {
  const call: Call = { ...aCall(), status, route: { ...REQUESTER_ROUTE, channel: 'C9' } };
  return JSON.stringify(buildStub(call, { card, isRefused: true }).blocks);
}

describe('the stub of a card in another channel', () => {
  it('names the approvers while the call is pending, without mentions', () => {
    const availability = { awaited: [{ person: 'U7', name: 'Lee' }], unable: [] };
    const options = { card: CARD, isRefused: false, availability };
    const route = { ...REQUESTER_ROUTE, approvers: ['user:U7' as const], channel: 'C9' };
    const stubText = (status: CallStatus) =>
      JSON.stringify(
        buildStub({ ...aCall({ summary: 'Refund €500.00' }), status, route }, options).blocks,
      );
    assert.match(
      stubText('pending'),
      /:raised_hand: \*Refund €500\.00\*: waiting for `Lee` in <#C9>"/,
    );
    // A reader of the thread may have no access to the channel of the card.
    assert.doesNotMatch(stubText('pending'), /<@U7>|archives/);
    assert.match(stubText('running'), /:gear: \*Refund €500\.00\* · \*Running\* in <#C9>"/);
  });
});

describe('the stub of a call that needs several approvals', () => {
  it('counts the approvals, and says in one line how the call ended', () => {
    const route = { ...TWO_APPROVERS, channel: 'C9' };
    const call = aCall({ route, votes: [{ by: APPROVER, at: 1 }], summary: 'Refund €500.00' });
    const stubText = (patch: Partial<Call>) =>
      JSON.stringify(buildStub({ ...call, ...patch }, { card: CARD, isRefused: false }).blocks);
    assert.match(stubText({}), /: waiting for a decision in <#C9> · 1 of 2"/);
    const verdict = { kind: 'approve', by: APPROVER, at: 2_000 } as const;
    const done = stubText({
      status: 'succeeded',
      verdict,
      outcome: { kind: 'result', text: 'secret' },
    });
    assert.match(done, /:white_check_mark: \*Refund €500\.00\* · \*Done\* · approved by <@U2>/);
    assert.doesNotMatch(done, /secret|C9|of 2/);
  });
});

describe('the stub of a card that cannot be posted to its channel', () => {
  it('says that posting is retried, and where the call can be decided meanwhile', () => {
    for (const status of ['pending', 'unknown'] as const) {
      assert.match(refused(status, undefined), /in <#C9>: invite me.*I’ll keep trying\..*Home tab/);
    }
  });

  it('does not mention a decision if none is left', () => {
    for (const status of ['approved', 'running'] as const) {
      const text = refused(status, undefined);
      assert.match(text, /I’ll keep trying\./);
      assert.doesNotMatch(text, /Home tab/);
    }
  });

  it('promises no retry once the call has ended', () => {
    for (const status of ['succeeded', 'expired', 'ignored'] as const) {
      assert.match(refused(status, undefined), /The card could not be shown in <#C9>\./);
      assert.match(refused(status, CARD), /The card in <#C9> could not be updated\./);
      for (const card of [undefined, CARD]) {
        assert.doesNotMatch(refused(status, card), /I’ll keep trying|Home tab|:warning:/);
      }
    }
  });
});
