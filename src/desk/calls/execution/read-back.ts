import type { Call } from '../../../domain/calls/call.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import { StaleFenceError } from '../../../domain/ports/store.ts';
import { stopForgedCall } from '../../../domain/rules/end-rules.ts';
import { recordRunEnd } from '../../../domain/rules/execution-rules.ts';
import { toolsOf } from '../../../domain/tools/helper.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import { parseStoredArgs } from '../parse-stored-args.ts';
import { retryStoreWrite, retryWhileHeld } from './retry-store-write.ts';

/** The stored call to run, or the step that ends it without a run. */
type ReadBack =
  | { readonly stored: Call; readonly tool: Tool; readonly args: JsonValue }
  | { readonly end: Step };

/**
 * Reads a claimed call from the store and verifies its digest right before the run. Throws if
 * another worker has the call by now.
 */
export async function readBack(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'log' | 'toolbox' | 'helpers'>,
  claimed: Call,
  work: HeldWork,
): Promise<ReadBack> {
  const { store, clock } = deps;
  const stored = await retryStoreWrite(
    () => store.fresh(() => store.ledger.get(claimed.id)),
    retryWhileHeld(work),
    deps,
  );
  await work.assertHeld();
  if (stored && stored.revision !== claimed.revision) {
    throw new StaleFenceError(`Another worker has the call ${claimed.id} now.`);
  }
  if (!stored || !isIntact(stored) || stored.digest !== claimed.digest) {
    return { end: stopForgedCall(claimed, clock.now()) };
  }
  const tool = toolsOf(deps, stored.thread, stored.agent).of(stored);
  const parsed = tool && parseStoredArgs(stored, tool);
  if (!tool || !parsed?.ok)
    return { end: recordRunEnd(claimed, describeToolGone(claimed), clock.now()) };
  return { stored, tool, args: parsed.value };
}

/** Tools of MCP servers can change or disappear at any time. */
export function describeToolGone({ tool }: Call) {
  const text = `Not run: the tool “${tool}” has changed since it was approved, or is no longer there.`;
  return { kind: 'error', text } as const;
}
