import { recoverDamaged } from '../../domain/audit/damaged-record.ts';
import type { Call } from '../../domain/calls/call.ts';
import { draftCall, withPreview } from '../../domain/calls/draft-call.ts';
import type { ToolReply } from '../../domain/calls/outcome.ts';
import { findSimilarCall } from '../../domain/calls/recent-similar-call.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { OpenCall } from '../../domain/ports/agent.ts';
import type { Effects } from '../../domain/ports/store.ts';
import { firstLine, type InboxMessage } from '../../domain/threads/message.ts';
import { toolsOf } from '../../domain/tools/helper.ts';
import type { FieldProblem, ParsedArgs, Tool, Toolbox } from '../../domain/tools/tool.ts';
import type { DeskDeps } from '../deps.ts';
import { callEffectsOf } from './call-effects.ts';
import { createApplyPolicy } from './policy/apply-policy.ts';
import { previewRun } from './preview-call.ts';

/** A stored call, or the reply to one that can never run. */
export type Proposal =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'rejected'; readonly reply: ToolReply };

/** An open call: already stored, fit to be stored, or rejected at once. */
export type CheckedCall =
  | Proposal
  | {
      readonly kind: 'fit';
      readonly tool: Tool;
      readonly parsed: Fit;
      /** Set if a crash came between the insert and the policy step. */
      readonly stored: Call | undefined;
    };

/** Turn records written together with a call. */
type TurnEffects = Pick<Effects, 'turnRecords' | 'checkpoint'>;

type Fit = Extract<ParsedArgs, { ok: true }>;

/** Builds the use case: stores an open call of the graph once, with the gate's answer. */
export function createPropose(deps: DeskDeps) {
  const applyPolicy = createApplyPolicy(deps);

  /** Checks an open call; `known` is the stored call, if any. Writes nothing. */
  function check(open: OpenCall, message: InboxMessage, known: Call | undefined): CheckedCall {
    if (known && known.status !== 'proposed') return { kind: 'call', call: known };
    const tools = toolsOf(deps, message.thread, message.delegated?.agent);
    const tool = open.outside ? tools.of(open) : tools.get(open.tool);
    if (!tool) return reject(describeUnknownTool(open.tool, tools));
    const parsed = readArgs(open, tool);
    if (typeof parsed === 'string') return reject(parsed);
    return { kind: 'fit', tool, parsed, stored: known };
  }

  /** Writes a checked call. An insert includes the records of the turn and its checkpoint. */
  async function put(
    checked: CheckedCall,
    open: OpenCall,
    message: InboxMessage,
    turnEffects: TurnEffects,
    fence: ThreadFence,
  ): Promise<Proposal> {
    if (checked.kind !== 'fit') return checked;
    const { tool, parsed, stored } = checked;
    const call =
      stored ??
      (await insert(await draftOf(deps, open, message, tool, parsed), parsed, turnEffects, fence));
    return { kind: 'call', call: await applyPolicy.pass(call, parsed) };
  }

  /** Inserts a call with the gate's answer; without it if the gate can't be asked now. */
  async function insert(
    call: Call,
    parsed: Fit,
    turnEffects: TurnEffects,
    fence: ThreadFence,
  ): Promise<Call> {
    // `pass` asks again and throws the error.
    const step = await applyPolicy.stepThrough(call, parsed).catch(() => undefined);
    const steps = step ? [step] : [];
    const { audit, ...effects } = callEffectsOf(call, steps, undefined);
    const proposed = {
      at: call.createdAt,
      event: 'call.propose',
      subject: call.id,
      actor: 'countersign',
      detail: { tool: call.tool, thread: call.thread, risk: call.risk },
    };
    const all = { ...effects, audit: [proposed, ...audit], ...turnEffects };
    return await deps.store.ledger.propose(call, all, fence, steps);
  }

  return { check, put };
}

async function draftOf(
  deps: DeskDeps,
  open: OpenCall,
  message: InboxMessage,
  tool: Tool,
  parsed: Fit,
): Promise<Call> {
  const parts = {
    id: `call_${deps.newId()}`,
    thread: message.thread,
    turn: message.id,
    messageId: open.messageId,
    toolCallId: open.toolCallId,
    position: open.position,
    siblings: open.siblings,
    tool: tool.name,
    ...(tool.server !== undefined && { server: tool.server }),
    risk: tool.risk,
    idempotent: tool.idempotent,
    args: parsed.canonical,
    requester: message.author,
    ...(message.delegated && { agent: message.delegated.agent }),
    ...(open.outside && { outside: open.outside }),
    askedAt: message.receivedAt,
    // A helper's task was written by an agent, so it is not quoted as a person's words.
    askedLine: message.delegated?.askedLine ?? firstLine(message.text),
    ...(message.delegated?.work && { work: message.delegated.work }),
    words: open.words,
  };
  const bare = draftCall(parts, tool, deps.clock.now());
  const draft = withPreview(bare, await previewRun(deps, bare, tool, parsed.value));
  const earlier = findSimilarCall(draft, await recentCalls(deps, message));
  return earlier ? { ...draft, earlier } : draft;
}

/** The calls of this turn and of the one before it: an ignored call ends its turn. */
async function recentCalls(
  { store }: Pick<DeskDeps, 'store'>,
  { thread, id }: InboxMessage,
): Promise<readonly Call[]> {
  const [[last], now] = await Promise.all([
    store.history.newest(thread, 1, 0),
    store.ledger.ofThread(thread, id),
  ]);
  // Damaged records of the previous turn must not block this one; they match nothing.
  const before = last ? await store.ledger.ofThread(thread, last.id).catch(recoverDamaged([])) : [];
  return [...before, ...now];
}

function describeUnknownTool(name: string, tools: Toolbox): string {
  const names = tools.list().map((tool) => tool.name);
  const those = names.length === 0 ? 'You have none' : `You have: ${names.join(', ')}`;
  return `Not run: there is no tool “${name}” for you. ${those}.`;
}

/** The parsed arguments, or the error text for the agent. */
function readArgs({ tool: name, argsText }: OpenCall, tool: Tool): Fit | string {
  const json = parseStrictJson(argsText.trim() === '' ? '{}' : argsText);
  if (!json.ok) {
    return `Not run: the arguments of ${name} are not valid JSON (line ${json.line}, column ${json.column}): ${json.reason} Correct them and call again.`;
  }
  const parsed = tool.parse(json.value);
  return parsed.ok ? parsed : describeProblems(name, parsed.problems);
}

function reject(text: string): Extract<Proposal, { kind: 'rejected' }> {
  return { kind: 'rejected', reply: { v: 1, text, status: 'error', endsTurn: false } };
}

function describeProblems(tool: string, problems: readonly FieldProblem[]): string {
  const lines = problems.map(({ path, message }) =>
    path.length === 0 ? `- ${message}` : `- ${path.join('.')}: ${message}`,
  );
  return `Not run: the arguments of ${tool} do not fit its schema. Correct them and call again.\n${lines.join('\n')}`;
}
