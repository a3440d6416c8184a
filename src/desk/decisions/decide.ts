import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import type { Call } from '../../domain/calls/call.ts';
import type {
  DecisionCheck,
  DecisionCommand,
  DecisionOutcome,
  SettleCommand,
} from '../../domain/calls/decision.ts';
import type { Permission } from '../../domain/rules/decision-permission.ts';
import {
  checkDecidable,
  checkSettlement,
  type DecisionRuling,
  ruleDecision,
  ruleSettlement,
} from '../../domain/rules/decision-rules.ts';
import { advanceCall } from '../calls/advance-call.ts';
import {
  createRecheckRoute,
  type HearGate,
  type RecheckRouteDeps,
} from '../calls/policy/recheck-route.ts';
import { createRenewPreview } from '../calls/renew-preview.ts';
import type { DeskDeps } from '../deps.ts';
import type { Authorize } from './authorize.ts';
import { type CommitOptions, commitDecision } from './commit-decision.ts';
import { readEdit } from './read-edit.ts';
import { createRecordRefusal, wasRefused } from './refusals.ts';

type DecideDeps = Pick<
  DeskDeps,
  'store' | 'toolbox' | 'clock' | 'log' | 'integrity' | 'onDamaged'
> &
  RecheckRouteDeps;

interface DecideOptions extends CommitOptions {
  /** The call as just read. If it has changed since, it is read again. */
  readonly seen?: Call;
}

/**
 * Decides on calls for people: reads, authorizes, rules and commits; retries if another writer was
 * first.
 */
export function createDecide(deps: DecideDeps, authorize: Authorize) {
  const { clock } = deps;
  const renewPreview = createRenewPreview(deps);
  const recheckRoute = createRecheckRoute(deps);
  const performing = { ...deps, authorize, recordRefusal: createRecordRefusal(deps) };

  return {
    decide: (command: DecisionCommand, extra?: DecideOptions) =>
      perform(
        performing,
        { ...command, kind: command.decision.kind },
        async (call, permission) => {
          const edited = await readEdit(deps, call, command);
          const tool = deps.toolbox.of(call);
          const ruling = ruleDecision(call, command, clock.now(), permission, edited, tool);
          const recheck = (onAnswer?: HearGate) => recheckRoute(call, ruling, onAnswer);
          return (await extra?.claiming?.check(recheck)) ?? (await recheck());
        },
        extra,
      ),

    /** Settling an unknown outcome needs the right to approve. */
    settle: (command: SettleCommand) =>
      perform(performing, { ...command, kind: 'approve' }, (call, permission) =>
        ruleSettlement(call, command, clock.now(), permission, deps.toolbox.of(call)),
      ),

    async check(command: DecisionCheck) {
      const seen = await perform<DecisionOutcome | { readonly kind: 'open'; readonly call: Call }>(
        performing,
        command,
        (call, permission) => {
          const ruling = command.settles
            ? checkSettlement(call, command, permission)
            : checkDecidable(call, command, clock.now(), permission);
          return ruling.kind === 'allowed'
            ? { kind: 'answer', outcome: { kind: 'open', call } }
            : ruling;
        },
        { isRead: command.kind === 'approve' && command.renews === true },
      );
      if (seen.kind !== 'open' || command.renews !== true) return seen;
      return { kind: 'open' as const, call: await renewPreview(seen.call) };
    },
  };
}

type PerformDeps = Pick<DecideDeps, 'store' | 'integrity' | 'onDamaged'> & {
  readonly authorize: Authorize;
  readonly recordRefusal: ReturnType<typeof createRecordRefusal>;
};

/** Reads, authorizes, rules and commits; records a refusal. */
async function perform<Answer extends { readonly kind: string }>(
  { authorize, recordRefusal, ...deps }: PerformDeps,
  command: Pick<DecisionCheck, 'callId' | 'by' | 'kind'>,
  rule: (
    call: Call,
    permission: Permission,
  ) => DecisionRuling<Answer> | Promise<DecisionRuling<Answer>>,
  { seen, isRead = false, ...extra }: DecideOptions & { readonly isRead?: boolean } = {},
): Promise<Answer | DecisionOutcome> {
  const { by, callId, kind: decision } = command;
  async function recordIfRefused(given: { readonly kind: string }): Promise<void> {
    // Viewing a call that is over is not a refused decision.
    const isAttempt = !isRead || given.kind === 'not-allowed';
    if (isAttempt && wasRefused(given)) await recordRefusal({ callId, by, decision }, given);
  }
  const ruleFor = async (call: Call): Promise<DecisionRuling<Answer | DecisionOutcome>> => {
    const { permission } = await authorize(call, command.by, decision);
    const ruling = await rule(call, permission);
    if (ruling.kind === 'answer') await recordIfRefused(ruling.outcome);
    return ruling;
  };
  let missing: DecisionOutcome = { kind: 'not-found' };
  const find = async (id: string) => {
    try {
      return await deps.store.ledger.get(id);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      deps.onDamaged?.(error);
      missing = { kind: 'damaged' };
      return undefined;
    }
  };
  const done = await advanceCall(deps, callId, ruleFor, {
    known: seen,
    find,
    commit: (call, ruled) => commitDecision(deps, call, ruled.steps, by, extra),
  });
  if (done) return done;
  await recordIfRefused(missing);
  return missing;
}
