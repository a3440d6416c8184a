import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import type { DecisionOutcome } from '../../../src/domain/calls/decision.ts';
import { sentence } from '../../../src/domain/text/sentence.ts';
import { buildOutboxParts } from '../../../src/slack/outbound/build-messages.ts';
import { disarmMentions, toSafeNotice } from '../../../src/slack/text/mrkdwn.ts';
import { outcomeSentence } from '../../../src/slack/text/outcome-sentences.ts';
import { SLACK_ERRORS, toChatError } from '../../../src/slack/transport/slack-errors.ts';
import { APPROVER, aCall } from '../../support/builders/a-call.ts';

describe('an error of Slack', () => {
  const platform = (error: string) => new WebAPIPlatformError({ ok: false, error });
  const cases: readonly [string, unknown, string][] = [
    ['channel_not_found', platform('channel_not_found'), 'undeliverable'],
    ['not_in_channel', platform('not_in_channel'), 'undeliverable'],
    ['is_archived', platform('is_archived'), 'undeliverable'],
    ['message_not_found', platform('message_not_found'), 'gone'],
    ['ratelimited', platform('ratelimited'), 'rate-limited'],
    ['invalid_blocks', platform('invalid_blocks'), 'rejected'],
    ['invalid_auth', platform('invalid_auth'), 'unauthorized'],
    ['a 503', new WebAPIHTTPError(503, 'x', {}, '<html>'), 'temporary'],
    ['a time-out', new WebAPIRequestError(new Error('timeout')), 'temporary'],
    ['a bug of ours', new TypeError('x'), 'rejected'],
  ];
  for (const [what, error, code] of cases) {
    it(`${what} is ${code}`, () => assert.equal(toChatError(error, 'post').code, code));
  }

  it('about too many requests says when to retry', () => {
    assert.equal(toChatError(new WebAPIRateLimitedError(7), 'post').retryAfterMs, 7_000);
  });

  it('always says what to do, in a sentence', () => {
    for (const { sentence } of Object.values(SLACK_ERRORS)) assert.match(sentence, /^[A-Z].*\.$/);
  });
});

describe('a sentence about a decision', () => {
  const call = aCall();
  const decided = (kind: 'approve' | 'edit' | 'reply' | 'ignore') => ({
    kind,
    by: APPROVER,
    at: 1,
  });
  const cases: readonly [DecisionOutcome, RegExp][] = [
    [
      { kind: 'decided', call: aCall({ status: 'approved', verdict: decided('approve') }) },
      /^You approved \*Write file\*\.$/,
    ],
    [
      { kind: 'recorded', call: { ...call, votes: [{ by: call.requester, at: 1 }] }, missing: 1 },
      /^Your approval counts\. \*Write file\* has the approvals that it needs/,
    ],
    [
      {
        kind: 'recorded',
        call: { ...call, editedBy: APPROVER, votes: [{ by: APPROVER, at: 1 }] },
        missing: 1,
      },
      /^Saved, with your approval\. \*Write file\* has the approvals/,
    ],
    [
      {
        kind: 'recorded',
        call: { ...call, editedBy: call.requester, votes: [{ by: APPROVER, at: 1 }] },
        missing: 1,
      },
      /^Your approval counts\. \*Write file\*/,
    ],
    [
      { kind: 'recorded', call: { ...call, editedBy: APPROVER }, missing: 1 },
      /^Saved\. \*Write file\* needs 1 approval from <@U1>\. To approve it, review all of it first\.$/,
    ],
    [{ kind: 'already-voted', call, missing: 2 }, /already given your approval.*needs 1/],
    [
      { kind: 'already-decided', call: aCall({ status: 'ignored', verdict: decided('ignore') }) },
      /^Nothing changed: .*ignored by <@U2>/,
    ],
    [{ kind: 'already-decided', call: aCall({ status: 'expired' }) }, /nobody decided in time/],
    [{ kind: 'stale', call: aCall({ attempt: 2, editedBy: APPROVER }) }, /<@U2> edited.*version 2/],
    [
      { kind: 'not-allowed', call, why: sentence`Only ${{ person: 'U2' }} may, not <@U3>.` },
      /^Nothing changed\. \*Write file\*: Only <@U2> may, not &lt;@U3&gt;\.$/,
    ],
    [{ kind: 'needs-reason', call }, /^Nothing changed yet: say why you approve \*Write file\*\.$/],
    [{ kind: 'invalid', call, problems: [{ path: [], message: 'Bad.' }] }, /Bad\./],
    [{ kind: 'not-found' }, /can’t find this call/],
  ];
  for (const [outcome, sentence] of cases) {
    it(`of ${outcome.kind} reads ${String(sentence)}`, () =>
      assert.match(outcomeSentence(outcome), sentence));
  }
});

describe('our own texts', () => {
  it('keep mentions of people, dates and links, and no other markup', () => {
    assert.equal(
      toSafeNotice('<@U1> <!channel> a&b &lt; <https://a.example> <!date^1^{date}|x> <b>'),
      '<@U1> &lt;!channel&gt; a&amp;b &lt; <https://a.example> <!date^1^{date}|x> &lt;b&gt;',
    );
  });

  it('from the agent mention nobody', () => {
    const text = disarmMentions('<!channel> <@U1> <!subteam^S1> <#C1> <b> <https://a.example>');
    assert.equal(
      text,
      '<\u2060!channel> <\u2060@U1> <\u2060!subteam^S1> <\u2060#C1> <b> <https://a.example>',
    );
  });

  it('arrive in full, in as many messages as needed', () => {
    const parts = buildOutboxParts({ kind: 'answer', text: 'word '.repeat(6_000) });
    assert.equal(parts.length, 3);
    assert.match(parts[2]?.text ?? '', /part 3 of 3/);
  });
});
