import type { Call } from '../../domain/calls/call.ts';
import { rulePreviewRenewal } from '../../domain/rules/execution-rules.ts';
import type { DeskDeps } from '../deps.ts';
import { commitSteps } from './advance-call.ts';
import { parseStoredArgs } from './parse-stored-args.ts';
import { previewRun } from './preview-call.ts';

/** Limits renewals, for example for a file that keeps growing. */
const MIN_INTERVAL_MS = 30_000;

/**
 * Builds the use case: returns a pending call as people should see it now. If its target has
 * changed, the call gets a new preview and says so. Earlier approvals and buttons become invalid.
 */
export function createRenewPreview(deps: Pick<DeskDeps, 'store' | 'toolbox' | 'clock' | 'log'>) {
  const { store, toolbox, clock } = deps;
  return async function renewPreview(call: Call): Promise<Call> {
    const tool = toolbox.of(call);
    const isBound = call.status === 'pending' && call.basis !== undefined;
    if (!isBound || !tool?.preview || wasJustRenewed(call, clock.now())) return call;
    const parsed = parseStoredArgs(call, tool);
    const shown = parsed.ok ? await previewRun(deps, call, tool, parsed.value) : {};
    const step = rulePreviewRenewal(call, shown, clock.now());
    if (!step) return call;
    const isWritten = await commitSteps(deps, call, [step]);
    return isWritten ? step.call : ((await store.ledger.get(call.id)) ?? call);
  };
}

function wasJustRenewed({ renewedAt }: Call, now: number): boolean {
  return renewedAt !== undefined && now - renewedAt < MIN_INTERVAL_MS;
}
