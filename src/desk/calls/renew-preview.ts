import type { Call } from '../../domain/calls/call.ts';
import { rulePreviewRenewal } from '../../domain/calls/execution-rules.ts';
import type { DeskDeps } from '../deps.ts';
import { commitSteps } from './advance-call.ts';
import { parseStoredArgs } from './parse-stored-args.ts';
import { previewRun } from './preview-call.ts';

/** A file that keeps growing would be shown anew without an end. */
const REST_MS = 30_000;

/**
 * Builds the use case: returns a waiting call as people are to see it now. Where what it works on has
 * changed since it was shown, the call gets the preview of now: it says so, earlier approvals no
 * longer count, and old buttons die with the digest.
 */
export function createRenewPreview(deps: Pick<DeskDeps, 'store' | 'toolbox' | 'clock' | 'log'>) {
  const { store, toolbox, clock } = deps;
  return async function renewPreview(call: Call): Promise<Call> {
    const tool = toolbox.of(call);
    const isBound = call.status === 'pending' && call.basis !== undefined;
    if (!isBound || !tool?.preview || isResting(call, clock.now())) return call;
    const parsed = parseStoredArgs(call, tool);
    const shown = parsed.ok ? await previewRun(deps, call, tool, parsed.value) : {};
    const step = rulePreviewRenewal(call, shown, clock.now());
    if (!step) return call;
    const isWritten = await commitSteps(deps, call, [step]);
    return isWritten ? step.call : ((await store.ledger.get(call.id)) ?? call);
  };
}

function isResting({ renewedAt }: Call, now: number): boolean {
  return renewedAt !== undefined && now - renewedAt < REST_MS;
}
