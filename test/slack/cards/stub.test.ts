import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call, CallStatus } from '../../../src/domain/call.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/route.ts';
import { buildStub } from '../../../src/slack/cards/stub.ts';
import { aCall } from '../../support/a-call.ts';

const CARD = { channel: 'C9', ts: '1.000001' };

function refused(status: CallStatus, card: typeof CARD | undefined): string {
  const call: Call = { ...aCall(), status, route: { ...REQUESTER_ROUTE, channel: 'C9' } };
  return JSON.stringify(buildStub(call, { card, isRefused: true }).blocks);
}

describe('the stub of a card that stands elsewhere', () => {
  it('says whom the call waits for, while it waits, and calls nobody', () => {
    const outlook = { awaited: [{ person: 'U7', name: 'Lee' }], unable: [] };
    const look = { card: CARD, isRefused: false, outlook };
    const route = { ...REQUESTER_ROUTE, approvers: ['user:U7' as const], channel: 'C9' };
    const say = (status: CallStatus) =>
      JSON.stringify(buildStub({ ...aCall(), status, route }, look).blocks);
    assert.match(say('pending'), /Waiting for a decision.*\*Waits for\* `Lee`.*Open the card/);
    assert.doesNotMatch(say('pending'), /<@U7>/);
    assert.doesNotMatch(say('running'), /Waits for/);
  });
});

describe('the stub of a card that its channel does not take', () => {
  it('says that it is tried again, and where the call is decided meanwhile', () => {
    for (const status of ['pending', 'unknown'] as const) {
      assert.match(refused(status, undefined), /in <#C9>: invite me.*I keep trying\..*Home tab/);
    }
  });

  it('speaks of no decision where none is left', () => {
    for (const status of ['approved', 'running'] as const) {
      const words = refused(status, undefined);
      assert.match(words, /I keep trying\./);
      assert.doesNotMatch(words, /Home tab/);
    }
  });

  it('promises no more once the call is over', () => {
    for (const status of ['succeeded', 'expired', 'ignored'] as const) {
      assert.match(refused(status, undefined), /The card could not be shown in <#C9>\./);
      assert.match(refused(status, CARD), /Open the card.*could not be brought up to date\./);
      for (const card of [undefined, CARD]) {
        assert.doesNotMatch(refused(status, card), /I keep trying|Home tab|:warning:/);
      }
    }
  });
});
