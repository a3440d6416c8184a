/**
 * The Agent Inbox action `tool_execution`. Its `args` map names of tools to their arguments, and its graph
 * takes one answer for all of them.
 */
import { isJsonObject, type JsonValue } from '../../../domain/json/json.ts';
import type { ForeignDecision, ForeignRequest } from './protocol.ts';

type Arguments = Readonly<Record<string, JsonValue>>;

/** Returns a request for each tool. Empty if there is nothing to unpack. */
export function unpackTools(whole: ForeignRequest): readonly ForeignRequest[] {
  if (whole.tool !== 'tool_execution' || !isJsonObject(whole.args)) return [];
  return Object.entries(whole.args).map(([tool, args]) => ({
    ...whole,
    tool,
    args,
    // A form shows objects, so an edit could not give back another value.
    decisions: whole.decisions.filter((kind) => kind !== 'edit' || isJsonObject(args)),
  }));
}

/** Whether the graph may run its tools: it can't be told to run some of them. */
export function mayRunAll(decisions: readonly ForeignDecision[]): boolean {
  return decisions.every(mayRun);
}

export function mayRun({ kind }: ForeignDecision): boolean {
  return kind === 'approve' || kind === 'edit';
}

/**
 * Combines the decisions about the tools in one answer. Without all approvals nothing runs, and the graph
 * gets the words of every reply: one message in the thread replies to several calls.
 */
export function answerForTools(args: Arguments, decisions: readonly ForeignDecision[]): JsonValue {
  const replies = decisions.flatMap((each) => (each.kind === 'reply' ? [each.text] : []));
  if (replies.length > 0) return { type: 'response', args: [...new Set(replies)].join('\n\n') };
  if (!mayRunAll(decisions)) return { type: 'ignore' };
  if (decisions.every(({ kind }) => kind === 'approve')) return { type: 'accept' };
  const decided = Object.entries(args).map(([tool, proposed], index) => {
    const decision = decisions[index];
    return [tool, decision?.kind === 'edit' ? decision.args : proposed] as const;
  });
  return { type: 'edit', args: { args: Object.fromEntries(decided) } };
}
