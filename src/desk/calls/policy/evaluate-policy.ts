import type { Call } from '../../../domain/calls/call.ts';
import { limitGateAnswer } from '../../../domain/calls/call-origin.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import { withSafeSummary } from '../../../domain/cards/call-summary.ts';
import type { AgentName } from '../../../domain/policy/agent-name.ts';
import { type GateAnswer, REQUESTER_ROUTE } from '../../../domain/policy/route.ts';
import { StoreUnavailableError } from '../../../domain/ports/store.ts';
import { joinSentences, type Sentence } from '../../../domain/text/sentence.ts';
import { placeOf } from '../../../domain/threads/thread-key.ts';
import type { ParsedArgs } from '../../../domain/tools/tool.ts';
import type { DeskDeps } from '../../deps.ts';

/**
 * Adds the gate's answer to the step that follows from it: rule and policy for the audit, redacted
 * paths, and for a card its risk and note.
 */
export function withPolicyDetails(step: Step, answer: GateAnswer): Step {
  const { redact = [], rule, policy } = answer;
  const source = { ...(rule !== undefined && { rule }), ...(policy !== undefined && { policy }) };
  const detail = { ...step.detail, ...source };
  // Once redacted, a value stays redacted, even if the policy changes.
  const redacted = [...new Set([...(step.call.redact ?? []), ...redact])];
  const call =
    redacted.length === 0 ? step.call : withSafeSummary({ ...step.call, redact: redacted });
  const audited: Step = { ...step, call, detail };
  if (answer.kind !== 'ask' || step.call.status !== 'pending') return audited;
  const { note, risk } = answer;
  const notes = [step.call.note, note].filter((each) => each !== undefined);
  const changed = { ...(risk && { risk }), ...(notes.length > 0 && { note: joinNotes(notes) }) };
  return { ...audited, call: { ...call, ...changed } };
}

/** Keeps plain strings plain, because text by a policy's author is quoted as data. */
function joinNotes(notes: readonly Sentence[]): Sentence {
  const texts = notes.filter((note) => typeof note === 'string');
  return texts.length === notes.length ? texts.join(' ') : joinSentences(notes, ' ');
}

/**
 * Asks the gate about a call. If the gate fails or can't be asked, people are asked. Throws while
 * the gate's store is unavailable.
 */
export async function evaluateGate(
  deps: Pick<DeskDeps, 'gate' | 'log'>,
  call: Call,
  parsed: ParsedArgs | undefined,
): Promise<GateAnswer> {
  const { outside } = call;
  const agent = agentOf(call);
  const route = call.route ?? REQUESTER_ROUTE;
  const ask = limitGateAnswer({ kind: 'ask', route, isInDoubt: true }, outside);
  if (!parsed?.ok) return ask;
  try {
    const answer = await deps.gate({
      tool: call.tool,
      args: parsed.value,
      risk: call.risk,
      requester: call.requester,
      channel: placeOf(call.thread).channel,
      thread: call.thread,
      call: {
        id: call.id,
        createdAt: call.createdAt,
        position: call.position,
        ...(call.status === 'running' && call.claim && { claimedAt: call.claim.at }),
      },
      ...(agent && { agent }),
      ...(outside && { isOutside: true as const }),
    });
    return limitGateAnswer(answer, outside);
  } catch (error) {
    // The store will answer later, so the call is retried instead of asking people.
    if (error instanceof StoreUnavailableError) throw error;
    deps.log.error({ err: error, call: call.id }, 'The policy gate failed; asking people instead.');
    return ask;
  }
}

function agentOf({ agent, outside }: Call): AgentName | undefined {
  if (agent !== undefined) return { kind: 'helper', name: agent };
  return outside && { kind: outside.by, name: outside.name };
}
