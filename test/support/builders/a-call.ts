import type { Call } from '../../../src/domain/calls/call.ts';
import { callDigestOf } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';

export const REQUESTER: Person = { team: 'T1', user: 'U1' };
export const APPROVER: Person = { team: 'T1', user: 'U2' };
export const SECOND_APPROVER: Person = { team: 'T1', user: 'U3' };
export const OUTSIDER: Person = { team: 'T1', user: 'U9' };

/** The default thread of the tests. */
export const THREAD = threadKey({ team: 'T1', channel: 'C1', ts: '1700000000.000100' });

/** A route with two approvals, without that of the requester. */
export const TWO_APPROVERS: Route = {
  ...REQUESTER_ROUTE,
  name: 'two',
  approvers: ['user:U2', 'user:U3'],
  quorum: 2,
  selfApproval: false,
};

/** Builds a pending call of the requester with a correct digest; given fields replace the defaults. */
export function aCall(patch: Partial<Call> = {}): Call {
  const call: Call = {
    id: 'call_aaaaaaaaaaaaaaaaaaaaaa',
    thread: THREAD,
    turn: 'T1/C1/1700000000.000100',
    messageId: 'ai_1',
    toolCallId: 'tc_1',
    position: 0,
    siblings: 1,
    tool: 'write_file',
    schemaHash: 'a'.repeat(64),
    risk: 'medium',
    idempotent: false,
    args: '{"content":"hello","path":"a.txt"}',
    proposedArgs: '{"content":"hello","path":"a.txt"}',
    digest: '',
    attempt: 1,
    revision: 2,
    status: 'pending',
    requester: REQUESTER,
    askedLine: 'please write a.txt',
    words: '',
    route: REQUESTER_ROUTE,
    votes: [],
    delivered: false,
    createdAt: 1_000,
    updatedAt: 1_000,
    deadlineAt: 1_000 + REQUESTER_ROUTE.deadlineMs,
    ...patch,
  };
  return patch.digest === undefined ? { ...call, digest: callDigestOf(call) } : call;
}
