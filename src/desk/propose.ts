import type { ThreadFence } from '../domain/agenda.ts';
import type { OpenCall } from '../domain/agent.ts';
import type { Call } from '../domain/call.ts';
import { digestOf } from '../domain/digest.ts';
import { findEarlier } from '../domain/earlier-call.ts';
import { toolsOf } from '../domain/helper.ts';
import { firstLine, type InboxMessage } from '../domain/message.ts';
import type { ToolReply } from '../domain/outcome.ts';
import { storedPreview } from '../domain/stored-preview.ts';
import { parseStrictJson } from '../domain/strict-json.ts';
import type { FieldProblem, ParsedArgs, Tool, Toolbox } from '../domain/tool.ts';
import type { DeskDeps } from './deps.ts';
import { createPassGate } from './pass-gate.ts';
import { previewCall } from './preview-call.ts';

/** A call in the ledger, or the answer to one that never can be run. */
export type Proposal =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'rejected'; readonly reply: ToolReply };

/** Builds the use case: puts an open call of the graph in the ledger, once, with the gate's answer; `known` is what the ledger holds of it. */
export function createPropose(deps: DeskDeps) {
  const { store, clock } = deps;
  const passGate = createPassGate(deps);

  async function propose(
    open: OpenCall,
    message: InboxMessage,
    known: Call | undefined,
    fence: ThreadFence,
  ): Promise<Proposal> {
    if (known && known.status !== 'proposed') return { kind: 'call', call: known };
    const tools = toolsOf(deps, message.thread, message.delegated?.agent);
    const tool = open.outside ? tools.of(open) : tools.get(open.tool);
    if (!tool) return reject(sayUnknownTool(open.tool, tools));
    const parsed = readArgs(open, tool);
    if (typeof parsed === 'string') return reject(parsed);
    const stored = known ?? (await insert(open, message, tool, parsed, fence));
    return { kind: 'call', call: await passGate(stored, parsed) };
  }

  async function insert(
    open: OpenCall,
    message: InboxMessage,
    tool: Tool,
    parsed: Extract<ParsedArgs, { ok: true }>,
    fence: ThreadFence,
  ): Promise<Call> {
    const now = clock.now();
    const preview = await previewCall(tool, parsed.value, clock);
    const draft: Call = {
      id: `call_${deps.newId()}`,
      thread: message.thread,
      turn: message.id,
      messageId: open.messageId,
      toolCallId: open.toolCallId,
      position: open.position,
      siblings: open.siblings,
      tool: tool.name,
      ...(tool.server !== undefined && { server: tool.server }),
      schemaHash: tool.schemaHash,
      risk: tool.risk,
      idempotent: tool.idempotent,
      args: parsed.canonical,
      proposedArgs: parsed.canonical,
      ...storedPreview(preview),
      ...(tool.secrets.length === 0 ? {} : { secrets: tool.secrets }),
      digest: '',
      attempt: 1,
      revision: 1,
      status: 'proposed',
      requester: message.author,
      ...(message.delegated && { agent: message.delegated.agent }),
      ...(open.outside && { outside: open.outside }),
      askedAt: message.receivedAt,
      // What a helper is told are an agent's words, and no person's.
      askedLine: message.delegated?.askedLine ?? firstLine(message.text),
      ...(message.delegated?.work && { work: message.delegated.work }),
      words: open.words,
      votes: [],
      delivered: false,
      createdAt: now,
      updatedAt: now,
    };
    const earlier = findEarlier(draft, await recentCalls(message));
    const call = { ...draft, ...(earlier && { earlier }), digest: digestOf(draft) };
    const audit = {
      at: now,
      event: 'call.propose',
      subject: call.id,
      actor: 'countersign',
      detail: { tool: call.tool, thread: call.thread, risk: call.risk },
    };
    return await store.ledger.propose(call, { audit: [audit] }, fence);
  }

  /** The calls of this turn and of the one before it: an ignored call ends its turn. */
  async function recentCalls({ thread, id }: InboxMessage): Promise<readonly Call[]> {
    const [[last], now] = await Promise.all([
      store.history.newest(thread, 1, 0),
      store.ledger.ofThread(thread, id),
    ]);
    const before = last ? await store.ledger.ofThread(thread, last.id) : [];
    return [...before, ...now];
  }

  return propose;
}

function sayUnknownTool(name: string, tools: Toolbox): string {
  const names = tools.list().map((tool) => tool.name);
  const those = names.length === 0 ? 'You have none' : `You have: ${names.join(', ')}`;
  return `Not run: there is no tool “${name}” for you. ${those}.`;
}

/** The arguments as the tool reads them, or what the agent is told of them. */
function readArgs(
  { tool: name, argsText }: OpenCall,
  tool: Tool,
): Extract<ParsedArgs, { ok: true }> | string {
  const json = parseStrictJson(argsText.trim() === '' ? '{}' : argsText);
  if (!json.ok) {
    return `Not run: the arguments of ${name} are not valid JSON (line ${json.line}, column ${json.column}): ${json.reason} Correct them and call again.`;
  }
  const parsed = tool.parse(json.value);
  return parsed.ok ? parsed : sayProblems(name, parsed.problems);
}

function reject(text: string): Proposal {
  return { kind: 'rejected', reply: { v: 1, text, status: 'error', endsTurn: false } };
}

function sayProblems(tool: string, problems: readonly FieldProblem[]): string {
  const lines = problems.map(({ path, message }) =>
    path.length === 0 ? `- ${message}` : `- ${path.join('.')}: ${message}`,
  );
  return `Not run: the arguments of ${tool} do not fit its schema. Correct them and call again.\n${lines.join('\n')}`;
}
