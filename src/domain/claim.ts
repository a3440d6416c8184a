/** Whether an approved call may still run, looked at again in the moment before it does. */
import type { Call } from './call.ts';
import { breakIntegrity, expire } from './decide.ts';
import { digestOf } from './digest.ts';
import type { Outcome } from './outcome.ts';
import { routeReached } from './patience.ts';
import { type GateAnswer, permit, REQUESTER_ROUTE, type Route } from './route.ts';
import { storedPreview } from './stored-preview.ts';
import type { ThreadKey } from './thread-key.ts';
import type { ParsedArgs, Preview } from './tool.ts';
import { type Step, stepFrom } from './transitions.ts';

/** What is known when a worker wants to run a call. */
export interface ClaimFacts {
  readonly now: number;
  readonly fence: number;
  /** The policy's answer of this moment. */
  readonly gate: GateAnswer;
  /** The stored arguments read by the tool as it is now; undefined when there is no such tool any more. */
  readonly parsed: ParsedArgs | undefined;
  /** The thread that the work is handed to, where the tool delegates it. */
  readonly child?: ThreadKey | undefined;
  /** The tool's preview of this moment; undefined where that does not matter. */
  readonly preview?: Preview | undefined;
}

/** Returns the step to take: the claim, or what stands in its way. */
export function ruleClaim(call: Call, facts: ClaimFacts): Step {
  const { now } = facts;
  if (digestOf(call) !== call.digest) return breakIntegrity(call, now);
  if (call.deadlineAt !== undefined && now >= call.deadlineAt) return expire(call, now);
  const obstacle = findObstacle(call, facts);
  if (obstacle) return obstacle;
  return stepFrom(call, 'claim', now, {
    status: 'running',
    claim: { fence: facts.fence, at: now },
    ...(facts.child && { child: facts.child }),
  });
}

/** What the tool, the policy and the preview have to say now; undefined when nothing has changed. */
function findObstacle(call: Call, facts: ClaimFacts): Step | undefined {
  const { now, gate, parsed } = facts;
  if (!parsed) return refuse(call, now, `The tool “${call.tool}” is no longer there.`);
  if (!parsed.ok || parsed.canonical !== call.args) {
    return refuse(
      call,
      now,
      `The arguments no longer fit the tool “${call.tool}”, which has changed.`,
    );
  }
  if (gate.kind === 'refuse') return refuse(call, now, gate.reason);
  if (gate.kind === 'ask') {
    const back = askAgain(call, routeReached(call, gate.route), now);
    if (back) return back;
  }
  const { route } = call;
  return route && isOutdated(call, facts.preview) ? showAnew(call, route, facts) : undefined;
}

/** Takes over the call of a worker that died while it ran: runs an idempotent one again, asks people about any other. */
export function ruleRecovery(call: Call, now: number, fence: number): Step {
  if (call.idempotent) {
    return stepFrom(call, 'recover', now, { status: 'running', claim: { fence, at: now } });
  }
  const route = call.route ?? REQUESTER_ROUTE;
  return stepFrom(call, 'recover', now, {
    status: 'unknown',
    route,
    deadlineAt: now + route.deadlineMs,
    note: 'The process died while this ran. It may have run, in part or whole. Please check.',
  });
}

/** Records the end of a run. */
export function finish(
  call: Call,
  outcome: Extract<Outcome, { kind: 'result' | 'error' }>,
  now: number,
): Step {
  return stepFrom(call, 'finish', now, {
    status: outcome.kind === 'result' ? 'succeeded' : 'failed',
    outcome,
  });
}

/** Answers a proposed call with the gate's word. */
export function ruleGate(call: Call, gate: GateAnswer, now: number): Step {
  switch (gate.kind) {
    case 'run':
      return stepFrom(call, 'gate', now, { status: 'approved' });
    case 'ask':
      return stepFrom(call, 'gate', now, {
        status: 'pending',
        route: gate.route,
        askedAt: now,
        deadlineAt: now + gate.route.deadlineMs,
      });
    case 'refuse':
      return stepFrom(call, 'gate', now, {
        status: 'refused',
        note: gate.reason,
        outcome: { kind: 'refused', reason: gate.reason },
      });
  }
}

/** A preview without a basis came too late, or from a tool that does not bind: the run itself looks again. */
function isOutdated(call: Call, preview: Preview | undefined): boolean {
  return preview?.basis !== undefined && preview.basis !== call.basis;
}

/** Back to pending: what people approved is not what would happen now. Old buttons die with the digest. */
function showAnew(call: Call, route: Route, { now, preview }: ClaimFacts): Step {
  const { verdict: _old, preview: _text, basis: _basis, ...rest } = call;
  const shown = { ...rest, ...storedPreview(preview) };
  return stepFrom(shown, 'recheck', now, {
    status: 'pending',
    digest: digestOf(shown),
    votes: [],
    note: 'What this works on has changed since it was shown. Nothing was run: please look again.',
    deadlineAt: call.deadlineAt ?? now + route.deadlineMs,
  });
}

/** Back to pending when too few of those who approved may still approve. */
function askAgain(call: Call, route: Route, now: number): Step | undefined {
  const votes = call.votes.filter((vote) => {
    const permission = permit(route, call.requester, vote.by, 'approve');
    return permission.kind === 'allowed' && permission.approves;
  });
  if (votes.length >= route.quorum) return undefined;
  const note =
    call.votes.length === 0
      ? 'The policy has changed: this now needs an approval.'
      : 'Somebody who had approved may no longer do so, or more approvals are needed now.';
  const { verdict: _old, ...rest } = call;
  return stepFrom(rest, 'recheck', now, {
    status: 'pending',
    route,
    votes,
    note,
    deadlineAt: call.deadlineAt ?? now + route.deadlineMs,
  });
}

function refuse(call: Call, now: number, reason: string): Step {
  return stepFrom(call, 'refuse', now, {
    status: 'refused',
    note: reason,
    outcome: { kind: 'refused', reason },
  });
}
