import type { Call } from '../../../domain/calls/call.ts';
import { type ToolReply, toToolReply } from '../../../domain/calls/outcome.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import { readStoredJson } from '../../../domain/json/json.ts';

const NOT_AS_DECIDED = 'Not run: the stored call is not what was decided.';

/**
 * The reply to the graph for a call, once people or the policy have decided it; undefined before.
 */
export function toGraphReply(call: Call): ToolReply | undefined {
  const { status, outcome, args, proposedArgs } = call;
  if (!outcome) {
    if (status !== 'running') return undefined;
    const decision =
      args === proposedArgs
        ? ({ kind: 'approve' } as const)
        : ({ kind: 'edit', args: readStoredJson(args) } as const);
    return { v: 1, text: '', status: 'ok', endsTurn: false, decision };
  }
  const reply = { ...toToolReply(outcome), endsTurn: false };
  // A forged reply must not look like a person's words.
  if (!isIntact(call)) return { ...reply, text: NOT_AS_DECIDED, status: 'error' };
  if (outcome.kind === 'reply')
    return { ...reply, decision: { kind: 'reply', text: outcome.text } };
  return outcome.kind === 'ignored' ? { ...reply, decision: { kind: 'ignore' } } : reply;
}
