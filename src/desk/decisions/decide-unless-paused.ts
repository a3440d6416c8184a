/** Decisions of people by click, form or HTTP API: a pause blocks those that would run something. */

import { recoverDamaged } from '../../domain/audit/damaged-record.ts';
import type { Call } from '../../domain/calls/call.ts';
import type {
  DecisionCheck,
  DecisionCommand,
  DecisionOutcome,
  SettleCommand,
} from '../../domain/calls/decision.ts';
import type { DecisionKind } from '../../domain/policy/route.ts';
import { sentence } from '../../domain/text/sentence.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import type {
  ClaimOnApproval,
  createClaimOnApproval,
} from '../calls/execution/claim-on-approval.ts';
import { describePause } from '../control/pause-messages.ts';
import type { DeskDeps } from '../deps.ts';
import type { Authorize } from './authorize.ts';
import type { createDecide } from './decide.ts';
import { type AttemptedAction, createRecordRefusal } from './refusals.ts';

type Open = { readonly kind: 'open'; readonly call: Call };

/** Allowed during a pause, because nothing runs. */
const WORKS_IN_PAUSE: ReadonlySet<DecisionKind> = new Set(['reply', 'ignore']);

/** Decisions that may start a run at once. */
const MAY_RUN: ReadonlySet<DecisionKind> = new Set(['approve', 'edit']);

/** Builds the decisions. Replies in a thread run nothing, so they go to `createDecide` directly. */
export function createDecideUnlessPaused(
  deps: Pick<DeskDeps, 'store' | 'clock'>,
  inner: ReturnType<typeof createDecide>,
  authorize: Authorize,
  withClaim?: ReturnType<typeof createClaimOnApproval>,
) {
  const { store } = deps;
  const recordRefusal = createRecordRefusal(deps);

  async function refuseRerunInPause({
    callId,
    by,
  }: SettleCommand): Promise<DecisionOutcome | undefined> {
    // A damaged record is reported by the settlement itself.
    const call = await store.ledger.get(callId).catch(recoverDamaged(undefined));
    if (call?.status !== 'unknown') return undefined;
    const pause = await store.pause.read();
    if (!pause) return undefined;
    const { permission } = await authorize(call, by, 'approve');
    if (permission.kind !== 'allowed') return undefined;
    return await refuseInPause(recordRefusal, { by, decision: 'approve' }, call, pause);
  }

  async function checkUnlessPaused(command: DecisionCheck): Promise<DecisionOutcome | Open> {
    const [seen, pause] = await Promise.all([inner.check(command), store.pause.read()]);
    if (seen.kind !== 'open' || command.settles || WORKS_IN_PAUSE.has(command.kind)) return seen;
    const { by, kind: decision } = command;
    return (await refuseInPause(recordRefusal, { by, decision }, seen.call, pause)) ?? seen;
  }

  return {
    checkDecision: checkUnlessPaused,

    async decide(command: DecisionCommand): Promise<DecisionOutcome> {
      const seen = await checkUnlessPaused({ ...command, kind: command.decision.kind });
      if (seen.kind !== 'open') return seen;
      const { call } = seen;
      const decide = (claiming?: ClaimOnApproval) =>
        inner.decide(command, { seen: call, claiming });
      const isApproval = MAY_RUN.has(command.decision.kind);
      return withClaim && isApproval ? await withClaim(call, decide) : await decide();
    },

    async settle(command: SettleCommand): Promise<DecisionOutcome> {
      const held = command.finding === 'rerun' ? await refuseRerunInPause(command) : undefined;
      return held ?? (await inner.settle(command));
    },
  };
}

async function refuseInPause(
  recordRefusal: ReturnType<typeof createRecordRefusal>,
  { by, decision }: Pick<AttemptedAction, 'by' | 'decision'>,
  call: Call,
  pause: Pause | undefined,
): Promise<DecisionOutcome | undefined> {
  if (!pause) return undefined;
  const why = sentence`${describePause(pause)} Only Reply and Ignore work until an admin resumes.`;
  const refused = { kind: 'not-allowed', call, why } as const;
  await recordRefusal({ callId: call.id, by, decision }, refused);
  return refused;
}
