/** What each claim changes in a call, and nothing else. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import {
  type ClaimFacts,
  recordRunEnd,
  ruleClaim,
  ruleGateAnswer,
  rulePreviewRenewal,
  ruleRecovery,
} from '../../../src/domain/rules/execution-rules.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { childThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, aCall, REQUESTER, TWO_APPROVERS } from '../../support/builders/a-call.ts';
import {
  BROKEN,
  changesOf,
  NOW,
  nextDigest,
  REASONED,
  type Row,
  verdict,
  vote,
} from './ruling-table.ts';

const agreed = aCall({ status: 'approved', votes: [{ by: REQUESTER, at: 2_000 }] });
const VOTERS = { memberships: new Map([[REQUESTER.user, 'member' as const]]), groups: new Map() };

function claimed(call: Call, facts: Partial<ClaimFacts> = {}): object {
  const step = ruleClaim(call, {
    now: NOW,
    fence: 7,
    gate: { kind: 'ask', route: call.route ?? REQUESTER_ROUTE },
    parsed: { ok: true, value: {}, canonical: call.args },
    voters: VOTERS,
    ...facts,
  });
  return changesOf(call, step);
}

const RUNS = { cause: 'claim', status: 'running', claim: { fence: 7, at: NOW } };
const refused = (reason: string) => ({
  cause: 'refuse',
  status: 'refused',
  note: reason,
  outcome: { kind: 'refused', reason },
});
const CHILD = childThreadKey(agreed.thread, agreed.id);
const UNFIT = 'The arguments no longer fit the tool “write_file”, which has changed.';
const bound = aCall({ status: 'approved', votes: agreed.votes, preview: 'old', basis: 'b1' });
const AGAIN =
  'The preview has changed since it was shown. Nothing was run. Please review it again.';
const doubted: Call = { ...agreed, votes: [], sealProblem: 'unsealed' };
const { deadlineAt: _no, ...endless } = agreed;

const CLAIMS: readonly Row[] = [
  ['a claim', claimed(agreed), RUNS],
  ['a claim without a deadline', claimed(endless), RUNS],
  ['a claim for a child', claimed(agreed, { child: CHILD }), { ...RUNS, child: CHILD }],
  [
    'a claim at the deadline',
    claimed(aCall({ ...agreed, deadlineAt: NOW })),
    { cause: 'expire', status: 'expired', outcome: { kind: 'expired' } },
  ],
  ['a claim of a forged call', claimed({ ...agreed, args: '{}' }), BROKEN],
  [
    'a claim without the tool',
    claimed(agreed, { parsed: undefined }),
    refused('The tool “write_file” is no longer available.'),
  ],
  [
    'a claim without the tool of a server, which may be away',
    claimed({ ...agreed, server: 'box' }, { parsed: undefined }),
    refused(
      'The tool “write_file” is not available: the MCP server “box” is unreachable or no longer offers it.',
    ),
  ],
  [
    'a claim of arguments that parse differently',
    claimed(agreed, { parsed: { ok: true, value: {}, canonical: '{}' } }),
    refused(UNFIT),
  ],
  [
    'a claim of arguments that no longer parse',
    claimed(agreed, { parsed: { ok: false, problems: [] } }),
    refused(UNFIT),
  ],
  [
    'a claim that the policy refuses',
    claimed(agreed, { gate: { kind: 'refuse', reason: 'Never.' } }),
    refused('Never.'),
  ],
  [
    'a claim that the policy now runs without asking',
    claimed(agreed, { gate: { kind: 'run' }, voters: undefined }),
    RUNS,
  ],
  [
    'a claim with the preview that was shown',
    claimed(bound, { preview: { text: 'x', basis: 'b1' } }),
    RUNS,
  ],
  ['a claim with a preview without a basis', claimed(bound, { preview: { text: 'x' } }), RUNS],
  [
    'a claim of a call whose basis has changed',
    claimed(bound, { preview: { text: 'new', basis: 'b2' } }),
    {
      cause: 'recheck',
      status: 'pending',
      votes: [],
      note: AGAIN,
      preview: 'new',
      basis: 'b2',
      renewedAt: NOW,
      digest: nextDigest(bound, { preview: 'new', basis: 'b2' }),
    },
  ],
  [
    'a claim whose approvers cannot be looked up',
    claimed(aCall({ ...agreed, remindedAt: 3_000, verdict: verdict('approve') }), {
      voters: undefined,
    }),
    {
      cause: 'recheck',
      status: 'pending',
      votes: [],
      verdict: 'gone',
      remindedAt: 'gone',
      pendingSince: NOW,
      note: 'Slack could not confirm the approvers when this was about to run. Nothing was run. Please approve it again.',
    },
  ],
  [
    'a claim of a call that was run by the policy, which now asks',
    claimed(aCall({ ...endless, votes: [] }), {
      voters: undefined,
      gate: { kind: 'ask', route: TWO_APPROVERS },
    }),
    {
      cause: 'recheck',
      status: 'pending',
      route: TWO_APPROVERS,
      pendingSince: NOW,
      note: 'The policy has changed: this now needs an approval.',
    },
  ],
  [
    'a claim that needs more approvals now',
    claimed(agreed, { gate: { kind: 'ask', route: { ...REQUESTER_ROUTE, quorum: 2 } } }),
    {
      cause: 'recheck',
      status: 'pending',
      route: { ...REQUESTER_ROUTE, quorum: 2 },
      pendingSince: NOW,
      note: 'The policy has changed: this now needs 2 approvals. Nothing was run.',
    },
  ],
  [
    'a claim whose approval needs a reason now',
    claimed(agreed, { gate: { kind: 'ask', route: REASONED } }),
    {
      cause: 'recheck',
      status: 'pending',
      route: REASONED,
      votes: [],
      pendingSince: NOW,
      note: [
        'An approval no longer counts: ',
        { person: 'U1' },
        ' (',
        'approvals now need a reason',
        ')',
        '. Nothing was run.',
      ],
    },
  ],
  [
    'a claim whose approval has the reason that it needs now',
    claimed(aCall({ ...agreed, votes: [{ by: REQUESTER, at: 2_000, reason: 'right' }] }), {
      gate: { kind: 'ask', route: REASONED },
    }),
    RUNS,
  ],
  [
    'a claim without its seal',
    claimed(doubted),
    {
      cause: 'recheck',
      status: 'pending',
      pendingSince: NOW,
      note: 'The earlier approvals can no longer be verified. Nothing was run. Please review it again.',
    },
  ],
];

for (const [title, actual, expected] of CLAIMS) {
  it(`${title} changes exactly this`, () => assert.deepEqual(actual, expected));
}

it('the note names each person whose approval no longer counts, with the reason', () => {
  const route = { ...TWO_APPROVERS, quorum: 1 };
  const call = aCall({ status: 'approved', route, votes: [vote(APPROVER), vote(REQUESTER)] });
  const voters = {
    memberships: new Map([
      [APPROVER.user, 'gone' as const],
      [REQUESTER.user, 'member' as const],
    ]),
    groups: new Map(),
  };
  const { note = '' } = claimed(call, { voters }) as { note?: string };
  assert.match(
    plainSentence(note),
    /^An approval no longer counts: U2 \(.*deactivated.*\), U1 \(no longer an approver of this call\)\. Nothing was run\.$/,
  );
});

it('a call that goes back to pending gets a new deadline', () => {
  const { deadlineAt: _none, ...unasked } = aCall({ status: 'approved' });
  const step = ruleClaim(unasked, {
    now: NOW,
    fence: 7,
    gate: { kind: 'ask', route: TWO_APPROVERS },
    parsed: { ok: true, value: {}, canonical: unasked.args },
    voters: VOTERS,
  });
  assert.equal(step.call.deadlineAt, NOW + TWO_APPROVERS.deadlineMs);
});

it('the call of a dead worker runs again only if it is idempotent, allowed and sealed', () => {
  const running = aCall({ status: 'running', idempotent: true, claim: { fence: 7, at: 2_000 } });
  const asked = {
    cause: 'recover',
    status: 'unknown',
    deadlineAt: NOW + REQUESTER_ROUTE.deadlineMs,
    note: 'The process died while this ran. It may have run, in part or whole. Please check.',
  };
  assert.deepEqual(changesOf(running, ruleRecovery(running, NOW, 8)), {
    cause: 'recover',
    claim: { fence: 8, at: NOW },
  });
  assert.deepEqual(changesOf(running, ruleRecovery(running, NOW, 8, false)), asked);
  const other = { ...running, idempotent: false };
  assert.deepEqual(changesOf(other, ruleRecovery(other, NOW, 8)), asked);
  const unsealed: Call = { ...running, sealProblem: 'unsealed' };
  assert.deepEqual(changesOf(unsealed, ruleRecovery(unsealed, NOW, 8)), asked);
});

it('a pending call gets a new preview only if its basis has changed', () => {
  const waiting = aCall({ preview: 'old', basis: 'b1' });
  const preview = { text: 'new', basis: 'b2' };
  const step = rulePreviewRenewal(waiting, { preview }, NOW);
  assert.equal(step?.call.preview, 'new');
  assert.equal(step?.call.note, AGAIN);
  assert.equal(
    rulePreviewRenewal(waiting, { preview: { text: 'x', basis: 'b1' } }, NOW),
    undefined,
  );
  assert.equal(rulePreviewRenewal(waiting, {}, NOW), undefined);
  assert.equal(rulePreviewRenewal({ ...waiting, args: '{}' }, { preview }, NOW), undefined);
  const { route: _none, ...unasked } = waiting;
  assert.equal(rulePreviewRenewal(unasked, { preview }, NOW), undefined);
});

it('the gate’s answers and the end of a run change exactly this', () => {
  const { route: _none, deadlineAt: _time, ...proposed } = aCall({ status: 'proposed' });
  const gate = (answer: Parameters<typeof ruleGateAnswer>[1]) =>
    changesOf(proposed, ruleGateAnswer(proposed, answer, NOW));
  assert.deepEqual(gate({ kind: 'run' }), { cause: 'gate', status: 'approved' });
  assert.deepEqual(gate({ kind: 'ask', route: TWO_APPROVERS }), {
    cause: 'gate',
    status: 'pending',
    route: TWO_APPROVERS,
    deadlineAt: NOW + TWO_APPROVERS.deadlineMs,
    pendingSince: NOW,
  });
  assert.deepEqual(gate({ kind: 'refuse', reason: 'No.' }), { ...refused('No.'), cause: 'gate' });
  const running = aCall({ status: 'running' });
  for (const [outcome, status] of [
    [{ kind: 'result', text: 'ok' }, 'succeeded'],
    [{ kind: 'error', text: 'no' }, 'failed'],
  ] as const) {
    assert.deepEqual(changesOf(running, recordRunEnd(running, outcome, NOW)), {
      cause: 'finish',
      status,
      outcome,
    });
  }
});
