/**
 * A question that an MCP server asks people while its tool runs: a call that nobody runs, whose
 * edit is the answer.
 */
import type { Call } from '../../domain/calls/call.ts';
import { type CallOrigin, limitGateAnswer } from '../../domain/calls/call-origin.ts';
import { draftCall } from '../../domain/calls/draft-call.ts';
import { isIntact } from '../../domain/calls/seal.ts';
import { stepFrom } from '../../domain/calls/transitions.ts';
import { canonicalJson, readStoredJson } from '../../domain/json/json.ts';
import { REQUESTER_ROUTE } from '../../domain/policy/route.ts';
import { recordRunEnd, ruleGateAnswer } from '../../domain/rules/execution-rules.ts';
import type { AskPeople, QuestionAnswer, ServerQuestion } from '../../domain/tools/server-tools.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import { commitSteps } from '../calls/advance-call.ts';
import { questionMessageId, withdrawQuestion } from '../calls/withdraw-questions.ts';
import type { DeskDeps } from '../deps.ts';
import { createWaitForChange } from './wait-for-change.ts';
import type { CallWatch } from './watch-calls.ts';

type AskDeps = Pick<DeskDeps, 'store' | 'clock' | 'newId'> & {
  readonly ofOutside: Toolbox['of'];
  readonly watch: CallWatch['watch'];
};

/**
 * Builds the use case: asks the requester of a running call in its thread, and waits for the answer
 * while the call runs.
 */
export function createAskQuestion(deps: AskDeps): AskPeople {
  const waitForChange = createWaitForChange(deps);

  /** Resolves with the call once nobody has to act on it any more. */
  async function waitForDecision(asked: Call, signal: AbortSignal): Promise<Call | undefined> {
    let call: Call | undefined = asked;
    while (call && (call.status === 'pending' || call.status === 'proposed')) {
      call = await waitForChange(call.id, call.revision, signal);
    }
    return call;
  }

  return async function askQuestion(question, signal) {
    const running = await deps.store.ledger.get(question.callId);
    if (running?.status !== 'running' || signal.aborted) return { kind: 'cancel' };
    const asked = await propose(deps, running, question);
    const decided = await waitForDecision(asked, signal);
    if (!decided) {
      await withdrawQuestion(deps, asked.id);
      return { kind: 'cancel' };
    }
    if (decided.status === 'approved') return await takeAnswer(deps, decided);
    return { kind: decided.status === 'ignored' ? 'decline' : 'cancel' };
  };
}

async function propose(deps: AskDeps, running: Call, question: ServerQuestion): Promise<Call> {
  const call = draft(deps, running, question);
  const audit = {
    at: call.createdAt,
    event: 'call.propose',
    subject: call.id,
    actor: `server:${question.server}`,
    detail: { tool: call.tool, thread: call.thread, asks: running.id },
  };
  await deps.store.ledger.propose(call, { audit: [audit] });
  // The policy has no rules for questions, so they go to the requester of the call.
  const answer = limitGateAnswer({ kind: 'ask', route: REQUESTER_ROUTE }, call.outside);
  const step = ruleGateAnswer(call, answer, deps.clock.now());
  await commitSteps(deps, call, [step]);
  return step.call;
}

function draft(
  { clock, newId, ofOutside }: AskDeps,
  running: Call,
  question: ServerQuestion,
): Call {
  const now = clock.now();
  const own = newId();
  const outside: CallOrigin = {
    by: 'server',
    name: question.server,
    schema: question.schema,
    decisions: ['edit', 'ignore'],
    deadlineMs: Math.max(1, question.deadlineAt - now),
  };
  const tool = ofOutside({ tool: running.tool, outside });
  if (!tool) throw new Error('The schema of the answer can’t be read.');
  const parts = {
    id: `call_${own}`,
    thread: running.thread,
    turn: running.turn,
    messageId: questionMessageId(running.id),
    toolCallId: own,
    tool: running.tool,
    risk: 'medium',
    args: canonicalJson(question.initial),
    requester: running.requester,
    outside,
    askedAt: now,
    askedLine: running.askedLine,
    words: question.message,
  } as const;
  return draftCall(parts, tool, now);
}

/** Cancelled if another writer has closed the question first. */
async function takeAnswer(deps: AskDeps, call: Call): Promise<QuestionAnswer> {
  if (!isIntact(call) || call.sealProblem) return { kind: 'cancel' };
  const now = deps.clock.now();
  const claimed = stepFrom(call, 'claim', now, {
    status: 'running',
    claim: { fence: 0, at: now },
  });
  const text = `The answer was sent to the MCP server “${call.outside?.name}”.`;
  const end = recordRunEnd(claimed.call, { kind: 'result', text }, now);
  const delivered = { ...end, call: { ...end.call, delivered: true } };
  if (!(await commitSteps(deps, call, [claimed, delivered]))) return { kind: 'cancel' };
  const content = readStoredJson(call.args);
  const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
  return isObject
    ? { kind: 'accept', content: content as ServerQuestion['initial'] }
    : { kind: 'cancel' };
}
