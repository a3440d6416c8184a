import type { Call } from '../../../domain/calls/call.ts';
import { canonicalJson } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { OpenCall } from '../../../domain/ports/agent.ts';

/** An open call, and the stored call that belongs to it. */
export interface MatchedCall {
  readonly open: OpenCall;
  readonly stored: Call | undefined;
}

/**
 * Matches a graph's open calls with stored calls by their ids. If a graph that runs its own tools
 * asks again under a used id, that is a new call. If only its id has changed, it is the same call.
 */
export function matchOpenCalls(
  open: readonly OpenCall[],
  known: readonly Call[],
): readonly MatchedCall[] {
  const matched: MatchedCall[] = [];
  const found = open.map((each) => known.filter((call) => hasIdsOf(call, each)));
  for (const [index, each] of open.entries()) {
    const same = found[index] ?? [];
    const stored = same.at(-1);
    if (each.outside && stored?.delivered) {
      const toolCallId = `${each.toolCallId}.${same.length + 1}`;
      matched.push({ open: { ...each, toolCallId }, stored: undefined });
      continue;
    }
    const taken = [...found.flat(), ...matched.map(({ stored: call }) => call)];
    const renewed = each.isRenewed && known.find((call) => isAskedBy(call, each, taken));
    matched.push({ open: each, stored: stored ?? (renewed || undefined) });
  }
  return matched;
}

function hasIdsOf({ messageId, toolCallId }: Call, open: OpenCall): boolean {
  // The newest message may belong to another task than the one that asks.
  const isGraphs = open.outside !== undefined;
  if (!isGraphs && messageId !== open.messageId) return false;
  const isRepeated = isGraphs && toolCallId.startsWith(`${open.toolCallId}.`);
  return toolCallId === open.toolCallId || isRepeated;
}

function isAskedBy(call: Call, open: OpenCall, taken: readonly (Call | undefined)[]): boolean {
  if (call.delivered || taken.includes(call) || call.messageId !== open.messageId) return false;
  const json = parseStrictJson(open.argsText);
  const isSame = json.ok && canonicalJson(json.value) === call.proposedArgs;
  return isSame && call.tool === open.tool && call.words === open.words;
}
