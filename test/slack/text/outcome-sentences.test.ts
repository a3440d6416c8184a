/** Every private answer to a decision, by status before, button and status after. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call, Verdict } from '../../../src/domain/calls/call.ts';
import { CALL_STATUSES } from '../../../src/domain/calls/call.ts';
import type { DecisionOutcome } from '../../../src/domain/calls/decision.ts';
import { sentence } from '../../../src/domain/text/sentence.ts';
import { outcomeSentence } from '../../../src/slack/text/outcome-sentences.ts';
import {
  APPROVER,
  aCall,
  REQUESTER,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';

const NAME = 'Refund €80.00 to Jane Doe';
const FINANCE = {
  ...TWO_APPROVERS,
  approvers: ['usergroup:S1'] as const,
  channel: 'C0APPROVALS',
};
const vote = (by = APPROVER) => ({ by, at: 1 });
const verdict = (kind: Verdict['kind']): Verdict => ({ kind, by: APPROVER, at: 1 });
const refund = (patch: Partial<Call> = {}) => aCall({ summary: NAME, route: FINANCE, ...patch });

/** A reader who can open the channel of the approvers. */
const READING = {
  reader: APPROVER,
  handles: new Map([['usergroup:S1', 'finance']] as const),
  opens: new Set(['C0APPROVALS']),
};

interface Row {
  readonly before: string;
  readonly click: string;
  readonly after: DecisionOutcome;
  readonly says: string;
}

const N = `*${NAME}*`;
const NEEDS = `${N} needs 2 approvals from @finance; the card is in <#C0APPROVALS>.`;
const ONE_OF_TWO = `${N} has 1 of 2 approvals so far; waiting for @finance; the card is in <#C0APPROVALS>.`;
const ENOUGH = `${N} has the approvals that it needs, and runs once Approve is pressed on its card; the card is in <#C0APPROVALS>.`;

const rows: readonly Row[] = [
  {
    before: 'pending, one missing',
    click: 'approve',
    after: { kind: 'decided', call: refund({ status: 'approved', verdict: verdict('approve') }) },
    says: `You approved ${N}.`,
  },
  {
    before: 'pending, two missing',
    click: 'approve',
    after: { kind: 'recorded', call: refund({ votes: [vote()] }), missing: 1 },
    says: `Your approval counts. ${ONE_OF_TWO}`,
  },
  {
    before: 'pending, own approval there',
    click: 'approve',
    after: { kind: 'already-voted', call: refund({ votes: [vote()] }), missing: 1 },
    says: `Nothing changed: you have already given your approval. ${ONE_OF_TWO}`,
  },
  {
    before: 'pending',
    click: 'approve on the card of another route',
    after: { kind: 'rerouted', call: refund() },
    says: `Nothing changed: the route has changed since you saw this card. ${NEEDS} Check the card again.`,
  },
  {
    before: 'pending, quorum lowered since',
    click: 'approve on the card of another route',
    after: { kind: 'rerouted', call: refund({ votes: [vote(), vote(SECOND_APPROVER)] }) },
    says: `Nothing changed: the route has changed since you saw this card. ${ENOUGH} Check the card again.`,
  },
  {
    before: 'pending',
    click: 'edit that moves it',
    after: {
      kind: 'recorded',
      call: refund({ editedBy: APPROVER, reroutedAt: 9, updatedAt: 9 }),
      missing: 2,
    },
    says: `Saved. ${NEEDS}`,
  },
  {
    before: 'pending',
    click: 'edit below the quorum',
    after: { kind: 'recorded', call: refund({ editedBy: APPROVER, votes: [vote()] }), missing: 1 },
    says: `Saved, with your approval. ${ONE_OF_TWO}`,
  },
  {
    before: 'pending',
    click: 'edit of one’s own call',
    after: { kind: 'recorded', call: refund({ editedBy: REQUESTER }), missing: 2 },
    says: `Saved. ${NEEDS} Others decide on your own calls.`,
  },
  {
    before: 'pending',
    click: 'edit, where a reason is owed',
    after: {
      kind: 'recorded',
      call: refund({ editedBy: APPROVER, route: { ...FINANCE, requiresReason: true } }),
      missing: 2,
    },
    says: `Saved. ${NEEDS} To approve it, press Approve on its card and say why.`,
  },
  {
    before: 'pending',
    click: 'edit that completes the quorum',
    after: {
      kind: 'decided',
      call: refund({ status: 'approved', editedBy: APPROVER, verdict: verdict('edit') }),
    },
    says: `Saved, and you approved ${N}.`,
  },
  {
    before: 'pending',
    click: 'edit to what the policy refuses',
    after: {
      kind: 'invalid',
      call: refund(),
      problems: [{ path: [], message: 'The policy refuses these values: Too much.' }],
    },
    says: `Nothing changed. ${N}: The policy refuses these values: Too much.`,
  },
  {
    before: 'pending',
    click: 'reply',
    after: { kind: 'decided', call: refund({ status: 'replied', verdict: verdict('reply') }) },
    says: `Your answer goes to the agent; ${N} does not run.`,
  },
  {
    before: 'pending',
    click: 'ignore',
    after: { kind: 'decided', call: refund({ status: 'ignored', verdict: verdict('ignore') }) },
    says: `You ignored ${N}; the agent stops here.`,
  },
  {
    before: 'pending, attempt 2',
    click: 'approve on the card of attempt 1',
    after: { kind: 'stale', call: refund({ attempt: 2, editedBy: SECOND_APPROVER }) },
    says: `Nothing changed: <@U3> edited ${N} after you saw it. See version 2.`,
  },
  {
    before: 'pending',
    click: 'approve by somebody else',
    after: {
      kind: 'not-allowed',
      call: refund(),
      why: sentence`Only ${{ group: 'usergroup:S1', handle: 'finance' }} may decide this call.`,
    },
    says: `Nothing changed. ${N}: Only @finance may decide this call.`,
  },
  {
    before: 'pending',
    click: 'approve without a reason',
    after: { kind: 'needs-reason', call: refund() },
    says: `Nothing changed yet: say why you approve ${N}.`,
  },
];

/** The answer to a person who clicks too late. */
const LATE: Readonly<Record<(typeof CALL_STATUSES)[number], string>> = {
  proposed: `${N} is not yet open for a decision.`,
  pending: `${N} is still waiting for a decision.`,
  approved: `${N} is already approved (approved by <@U2>).`,
  running: `${N} is already approved and running (approved by <@U2>).`,
  succeeded: `${N} has already run (approved by <@U2>).`,
  failed: `${N} has already run, and failed (approved by <@U2>).`,
  unknown: `${N} was approved; it is unknown whether it ran (approved by <@U2>).`,
  replied: `${N} was already answered (answered by <@U2>).`,
  ignored: `${N} was already ignored (ignored by <@U2>).`,
  expired: `${N} expired: nobody decided in time.`,
  withdrawn: `${N} was withdrawn.`,
  refused: `${N} was refused by the policy.`,
};

const KINDS: Partial<Record<Call['status'], Verdict['kind']>> = {
  replied: 'reply',
  ignored: 'ignore',
};

const late: readonly Row[] = CALL_STATUSES.map((status) => {
  const call = refund({ status, verdict: verdict(KINDS[status] ?? 'approve') });
  const after = { kind: 'already-decided', call } as const;
  return {
    before: status,
    click: 'approve, too late',
    after,
    says: `Nothing changed: ${LATE[status]}`,
  };
});

/** Cases in which people approved the call. */
const APPROVED: ReadonlySet<Call['status']> = new Set([
  'approved',
  'running',
  'succeeded',
  'failed',
  'unknown',
]);

describe('the private answer to a decision', () => {
  for (const { after, before, click, says } of [...rows, ...late]) {
    it(`says where the call is: ${before}, ${click}`, () => {
      const said = outcomeSentence(after, READING);
      assert.equal(said, says);
      assert.ok(said.includes(N), 'It does not name the call.');
      if ('call' in after && !APPROVED.has(after.call.status)) {
        assert.doesNotMatch(said, /\bapproved\b|\bran\b|is running/);
      }
    });

    it(`names no channel to somebody who can’t open it: ${before}, ${click}`, () => {
      assert.doesNotMatch(outcomeSentence(after), /<#|C0APPROVALS/);
    });
  }

  it('does not name the channel of the approvers either', () => {
    const route = { ...FINANCE, approvers: ['channel:C0SECRET'] as const };
    const call = refund({ route });
    const why = sentence`Only ${{ group: 'channel:C0SECRET' }} may decide this call.`;
    for (const outcome of [
      { kind: 'not-allowed', call, why },
      { kind: 'recorded', call, missing: 2 },
    ] as const) {
      assert.doesNotMatch(outcomeSentence(outcome, READING), /C0SECRET/);
    }
  });

  it('says only “picked up” of a program that does not report', () => {
    const outside = { by: 'key', name: 'cleanup', isSilent: true } as const;
    const { summary: _none, ...call } = refund({
      ...{ outside, status: 'succeeded', verdict: verdict('approve') },
    });
    const said = outcomeSentence({ kind: 'already-decided', call });
    assert.equal(
      said,
      'Nothing changed: *cleanup: write_file* was already picked up (approved by <@U2>).',
    );
  });

  it('shows the name of a call without active markup', () => {
    const summary = 'Pay *a* `b` _c_ :tada: <!channel> <@U1> https://a.example\nYou approved *x*';
    const said = outcomeSentence({ kind: 'needs-reason', call: refund({ summary }) });
    assert.doesNotMatch(said, /<|:tada:|\n|[^\u2060]https:\/\/a|`b`|\*a\*/);
  });
});
