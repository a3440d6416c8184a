/** What each decision changes in a call, and nothing else. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import {
  APPROVER,
  aCall,
  REQUESTER,
  SECOND_APPROVER,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';
import {
  approve,
  BROKEN,
  decided,
  EDIT_OF,
  edit,
  forged,
  half,
  NOBODY,
  NOT,
  NOW,
  noted,
  REASONED,
  type Row,
  timeless,
  verdict,
  vote,
} from './ruling-table.ts';

const TABLE: readonly Row[] = [
  [
    'an approval',
    decided(aCall(), approve),
    [
      {
        cause: 'approve',
        status: 'approved',
        votes: [vote(REQUESTER)],
        verdict: verdict('approve'),
      },
    ],
  ],
  [
    'an approval with spaces around its reason',
    decided(aCall({ route: REASONED }), { ...approve, reason: ' it is right ' }),
    [
      {
        cause: 'approve',
        status: 'approved',
        votes: [{ ...vote(REQUESTER), reason: 'it is right' }],
        verdict: verdict('approve'),
      },
    ],
  ],
  [
    'an approval without the reason that it needs',
    decided(aCall({ route: REASONED }), { ...approve, reason: '  ' }),
    { kind: 'needs-reason' },
  ],
  [
    'the longest reason',
    (decided(aCall(), { ...approve, reason: 'x'.repeat(300) }) as readonly object[]).length,
    1,
  ],
  [
    'a reason that is too long',
    decided(aCall(), { ...approve, reason: 'x'.repeat(301) }),
    {
      kind: 'invalid',
      problems: [
        { path: ['reason'], message: 'A reason has at most 300 characters; this has 301.' },
      ],
    },
  ],
  [
    'an approval of a call with a note',
    decided(noted, approve),
    [
      {
        cause: 'approve',
        status: 'approved',
        votes: [vote(REQUESTER)],
        verdict: verdict('approve'),
        note: 'gone',
      },
    ],
  ],
  [
    'the first of two approvals',
    decided(aCall({ ...noted, route: TWO_APPROVERS }), approve, { by: APPROVER }),
    [{ cause: 'vote', votes: [vote(APPROVER)] }],
  ],
  [
    'the second of two approvals',
    decided(half, approve, { by: SECOND_APPROVER }),
    [
      {
        cause: 'approve',
        status: 'approved',
        votes: [{ by: APPROVER, at: 2_000 }, vote(SECOND_APPROVER)],
        verdict: verdict('approve', SECOND_APPROVER),
      },
    ],
  ],
  [
    'one approval twice',
    decided(half, approve, { by: APPROVER }),
    { kind: 'already-voted', missing: 1 },
  ],
  [
    'an edit',
    decided(aCall({ preview: 'old', basis: 'b1' }), edit),
    [
      {
        ...EDIT_OF(aCall()),
        preview: 'gone',
        basis: 'gone',
      },
      {
        cause: 'approve',
        status: 'approved',
        votes: [vote(REQUESTER)],
        verdict: verdict('edit'),
      },
    ],
  ],
  [
    'an edit by somebody whose approval does not count',
    decided(aCall(), edit, { may: { kind: 'allowed', approves: false } }),
    [EDIT_OF(aCall())],
  ],
  [
    'an edit that keeps what its editor was not shown',
    decided(aCall(), { ...edit, keepsUnseen: true }),
    [EDIT_OF(aCall())],
  ],
  [
    'an edit where an approval needs a reason',
    decided(aCall({ route: REASONED }), edit),
    [EDIT_OF(aCall())],
  ],
  [
    'an edit where nobody approves',
    decided(aCall({ route: { ...REQUESTER_ROUTE, decisions: ['edit'] } }), edit),
    [EDIT_OF(aCall())],
  ],
  [
    'an edit where two approve',
    decided(half, edit, { by: SECOND_APPROVER }),
    [{ ...EDIT_OF(half), editedBy: SECOND_APPROVER, votes: [vote(SECOND_APPROVER)] }],
  ],
  [
    'a reply',
    decided(noted, { kind: 'reply', text: ' 0' }),
    [
      {
        cause: 'reply',
        status: 'replied',
        outcome: { kind: 'reply', text: ' 0', by: REQUESTER },
        verdict: verdict('reply'),
      },
    ],
  ],
  [
    'a reply without text',
    decided(aCall(), { kind: 'reply', text: ' \n' }),
    {
      kind: 'invalid',
      problems: [{ path: ['text'], message: 'Enter a reply for the agent.' }],
    },
  ],
  [
    'an ignore',
    decided(aCall(), { kind: 'ignore' }),
    [
      {
        cause: 'ignore',
        status: 'ignored',
        outcome: { kind: 'ignored', by: REQUESTER },
        verdict: verdict('ignore'),
      },
    ],
  ],
  [
    'a decision of nobody',
    decided(forged, approve, { may: NOBODY }),
    { kind: 'not-allowed', why: 'Nobody here.' },
  ],
  [
    'a decision of the wrong person',
    decided(aCall(), approve, { may: NOT }),
    { kind: 'not-allowed', why: 'Not you.' },
  ],
  ['the wrong person on a forged call', decided(forged, approve, { may: NOT }), [BROKEN]],
  [
    'the wrong person on a call that is over',
    decided(aCall({ status: 'ignored' }), approve, { may: NOT }),
    { kind: 'already-decided' },
  ],
  [
    'a decision on what nobody was asked',
    decided(aCall({ status: 'proposed' }), approve),
    { kind: 'not-found' },
  ],
  [
    'the last moment before the deadline',
    (decided(aCall({ deadlineAt: NOW + 1 }), approve) as readonly object[]).length,
    1,
  ],
  [
    'the deadline',
    decided(aCall({ deadlineAt: NOW }), approve),
    [{ cause: 'expire', status: 'expired', outcome: { kind: 'expired' } }],
  ],
  ['a call without a deadline', (decided(timeless, approve) as readonly object[]).length, 1],
];

for (const [title, actual, expected] of TABLE) {
  it(`${title} changes exactly this`, () => assert.deepEqual(actual, expected));
}
