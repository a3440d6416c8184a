import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Approval, ApprovalStatus } from '../../client/countersign-client.ts';

const DECISIONS = [
  'approved',
  'pending',
  'answered',
  'declined',
  'expired',
  'withdrawn',
  'refused',
  'taken',
  'unknown',
] as const;

type Decision = (typeof DECISIONS)[number];

/** Structured result of the tools that return an approval. */
export const ApprovalAnswer = {
  decision: z.enum(DECISIONS),
  approval_id: z.string(),
  status: z.string(),
  arguments: z.record(z.string(), z.unknown()).describe('As they were approved.'),
  edited: z.boolean().describe('People changed the arguments.'),
  digest: z.string().describe('Hash of exactly these arguments.'),
  reply: z.string().nullable().describe('What a person wrote instead of approving.'),
  reason: z.string().nullable(),
  decided_by: z.string().nullable(),
  idempotency_key: z.string().optional(),
  token: z.string().optional().describe('Proves for a minute that these arguments were approved.'),
  next: z.string().describe('What to do now.'),
};

const DECISION_OF: Readonly<Record<ApprovalStatus, Decision>> = {
  approved: 'approved',
  pending: 'pending',
  replied: 'answered',
  ignored: 'declined',
  expired: 'expired',
  withdrawn: 'withdrawn',
  refused: 'refused',
  running: 'taken',
  succeeded: 'taken',
  failed: 'taken',
  unknown: 'unknown',
};

const NEXT: Readonly<Record<Decision, string>> = {
  approved:
    'Approved, but not consumed yet. To run it yourself, call request_approval again with the same input and idempotency_key, which consumes it. If another program runs it, that program first consumes it with POST /api/approvals/{approval_id}/consume {"digest": …}, runs exactly these arguments, and reports the outcome.',
  pending:
    'Not approved yet: do not run it. To keep waiting, call request_approval with the same input and this idempotency_key, or check with get_approval.',
  answered: 'Do not run it: a person answered instead. Follow the reply.',
  declined: 'Do not run it, and do not try the same in another way: a person said no.',
  expired: 'Do not run it: nobody decided in time, which is not a no.',
  withdrawn: 'Do not run it: the request was cancelled.',
  refused: 'Do not run it: the policy forbids it.',
  taken: 'Do not run it again: it was already consumed.',
  unknown:
    'Do not run it again: it was consumed, but it is unknown whether it ran. People are asked.',
};

const TAKEN = 'Approved and consumed for you: run it now, once, with exactly these arguments.';

interface AnswerOptions {
  readonly idempotencyKey?: string;
  readonly token?: string;
  /** Why it can't be consumed now although it is approved. */
  readonly heldBecause?: string;
}

/** Describes an approval to an agent. With a token, the agent may run the call. */
export function toApprovalAnswer(
  { id, status, edited, digest, reply, reason, decidedBy, ...approval }: Approval<object>,
  { heldBecause, idempotencyKey, token }: AnswerOptions = {},
): CallToolResult {
  const told = heldBecause === undefined ? DECISION_OF[status] : 'pending';
  const decision = token === undefined ? told : 'approved';
  const structuredContent = {
    decision,
    approval_id: id,
    status,
    arguments: approval.arguments,
    edited,
    digest,
    reply,
    reason: heldBecause ?? reason,
    decided_by: decidedBy,
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    ...(token !== undefined && { token }),
    next: token === undefined ? NEXT[decision] : TAKEN,
  };
  return {
    structuredContent,
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  };
}
