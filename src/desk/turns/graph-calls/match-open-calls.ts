import type { Call } from '../../../domain/calls/call.ts';
import { canonicalJson } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { OpenCall } from '../../../domain/ports/agent.ts';

/** An open call, and what the ledger holds of it. */
export interface MatchedCall {
  readonly open: OpenCall;
  readonly stored: Call | undefined;
}

/**
 * Finds what the ledger holds of a graph's open calls, by their ids. One of a graph that runs its own
 * tools is another call when it asks the same under the same id once it has taken the answer, and
 * the same call when only its id has changed.
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
  // The newest message of such a graph may be that of a task beside the one that asks.
  const isTheirs = open.outside !== undefined;
  if (!isTheirs && messageId !== open.messageId) return false;
  const isAgain = isTheirs && toolCallId.startsWith(`${open.toolCallId}.`);
  return toolCallId === open.toolCallId || isAgain;
}

function isAskedBy(call: Call, open: OpenCall, taken: readonly (Call | undefined)[]): boolean {
  if (call.delivered || taken.includes(call) || call.messageId !== open.messageId) return false;
  const json = parseStrictJson(open.argsText);
  const isSame = json.ok && canonicalJson(json.value) === call.proposedArgs;
  return isSame && call.tool === open.tool && call.words === open.words;
}
