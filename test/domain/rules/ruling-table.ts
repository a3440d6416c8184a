/** What rulings change in a call, field by field. */
import assert from 'node:assert/strict';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand, SettleCommand } from '../../../src/domain/calls/decision.ts';
import { callDigestOf, shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Step } from '../../../src/domain/calls/transitions.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { Permission } from '../../../src/domain/rules/decision-permission.ts';
import {
  type DecisionRuling,
  ruleDecision,
  ruleSettlement,
} from '../../../src/domain/rules/decision-rules.ts';
import { APPROVER, aCall, REQUESTER, TWO_APPROVERS } from '../../support/builders/a-call.ts';

export const NOW = 5_000;
export const MAY: Permission = { kind: 'allowed', approves: true };
export const NOT: Permission = { kind: 'not-allowed', why: 'Not you.' };
export const NOBODY: Permission = { kind: 'nobody', why: 'Nobody here.' };
export const REASONED: Route = { ...REQUESTER_ROUTE, requiresReason: true };
export const CHANGED = 'its stored arguments had been changed. People have been told.';
const BROKEN_NOTE =
  'integrity_error: the stored arguments differ from those that were shown. Nothing was run.';
export const BROKEN = {
  cause: 'integrity',
  status: 'failed',
  note: BROKEN_NOTE,
  outcome: { kind: 'error', text: `Not run: ${CHANGED}` },
};

/** The fields that one step changed. */
export function changesOf(before: Call, { call, cause }: Step): object {
  const keys = new Set([...Object.keys(before), ...Object.keys(call)] as (keyof Call)[]);
  const changed: Record<string, unknown> = {};
  for (const key of keys) {
    if (key === 'revision' || key === 'updatedAt') continue;
    if (JSON.stringify(before[key]) === JSON.stringify(call[key])) continue;
    changed[key] = call[key] ?? 'gone';
  }
  assert.equal(call.revision, before.revision + 1);
  assert.equal(call.updatedAt, NOW);
  return { cause, ...changed };
}

function told(before: Call, ruling: DecisionRuling): unknown {
  if (ruling.kind === 'answer') {
    const { call: _call, ...rest } = { call: undefined, ...ruling.outcome };
    return rest;
  }
  let previous = before;
  return ruling.steps.map((step) => {
    const changes = changesOf(previous, step);
    previous = step.call;
    return changes;
  });
}

export const seen = (call: Call) => ({
  callId: call.id,
  attempt: call.attempt,
  digest: shortDigest(call.digest),
});

export function decided(
  call: Call,
  decision: DecisionCommand['decision'],
  more: { by?: Person; may?: Permission; now?: number; canonical?: string } = {},
): unknown {
  const { by = REQUESTER, may = MAY, now = NOW, canonical = '{"path":"b"}' } = more;
  const edited = { parsed: { ok: true, value: {}, canonical } } as const;
  return told(call, ruleDecision(call, { ...seen(call), by, decision }, now, may, edited));
}

export function settled(
  call: Call,
  finding: SettleCommand['finding'],
  may = MAY,
  now = NOW,
  patch: Partial<SettleCommand> = {},
): unknown {
  return told(
    call,
    ruleSettlement(call, { ...seen(call), by: REQUESTER, finding, ...patch }, now, may),
  );
}

export const vote = (by: Person) => ({ by, at: NOW });
export const verdict = (
  kind: 'approve' | 'edit' | 'reply' | 'ignore' | 'settle',
  by = REQUESTER,
) => ({
  kind,
  by,
  at: NOW,
});
export const approve = { kind: 'approve' } as const;
export const edit = { kind: 'edit', args: {} } as const;
export const forged = { ...aCall(), args: '{"path":"evil"}' };
export const noted = aCall({ note: 'Look again.' });
export const two = aCall({ route: TWO_APPROVERS });
export const half = aCall({ route: TWO_APPROVERS, votes: [{ by: APPROVER, at: 2_000 }] });
export const unknown = aCall({ status: 'unknown', claim: { fence: 7, at: 2_000 } });
const { deadlineAt: _never, ...withoutDeadline } = aCall();
export const timeless = withoutDeadline;
export const nextDigest = (call: Call, patch: Partial<Call>) => callDigestOf({ ...call, ...patch });
export const EDIT_OF = (call: Call) => ({
  cause: 'edit',
  args: '{"path":"b"}',
  attempt: 2,
  digest: nextDigest(call, { args: '{"path":"b"}', attempt: 2 }),
  editedBy: REQUESTER,
});

/** A ruling's title, its actual changes and the expected ones. */
export type Row = readonly [title: string, actual: unknown, expected: unknown];
