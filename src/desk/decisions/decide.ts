import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import type { Call } from '../../domain/calls/call.ts';
import type {
  DecisionCheck,
  DecisionCommand,
  DecisionOutcome,
  SettleCommand,
} from '../../domain/calls/decision.ts';
import type { Step, TransitionCause } from '../../domain/calls/transitions.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { Person } from '../../domain/people/person.ts';
import { type Effects, StaleFenceError } from '../../domain/ports/store.ts';
import type { Permission } from '../../domain/rules/decision-permission.ts';
import {
  checkDecidable,
  checkSettlement,
  type DecisionRuling,
  type Edited,
  missingApprovalCount,
  ruleDecision,
  ruleSettlement,
} from '../../domain/rules/decision-rules.ts';
import { describeMissingTool } from '../../domain/rules/execution-rules.ts';
import { maskingOf, maskWholeText } from '../../domain/secrets/mask-secrets.ts';
import { secretPathsOfCall } from '../../domain/secrets/secret-paths.ts';
import type { ParsedArgs, Tool } from '../../domain/tools/tool.ts';
import { advanceCall } from '../calls/advance-call.ts';
import { callEffectsOf } from '../calls/call-effects.ts';
import type { ClaimOnApproval } from '../calls/execution/claim-on-approval.ts';
import {
  createRecheckRoute,
  type HearGate,
  type RecheckRouteDeps,
} from '../calls/policy/recheck-route.ts';
import { previewRun } from '../calls/preview-call.ts';
import { createRenewPreview } from '../calls/renew-preview.ts';
import type { DeskDeps } from '../deps.ts';
import type { Authorize } from './authorize.ts';
import { createRecordRefusal, wasRefused } from './refusals.ts';

type DecideDeps = Pick<
  DeskDeps,
  'store' | 'toolbox' | 'clock' | 'log' | 'integrity' | 'onDamaged'
> &
  RecheckRouteDeps;

/**
 * `messageEnds` are written only if the person's decision takes effect, not if the call expired or
 * was forged.
 */
interface DecideOptions extends Pick<Effects, 'messageEnds'> {
  /** The call as just read. If it has changed since, it is read again. */
  readonly seen?: Call;
  readonly claiming?: ClaimOnApproval | undefined;
}

/**
 * Decides on calls for people: reads, authorizes, rules and commits; retries if another writer was
 * first.
 */
export function createDecide(deps: DecideDeps, authorize: Authorize) {
  const { store, clock } = deps;
  const renewPreview = createRenewPreview(deps);
  const recordRefusal = createRecordRefusal(deps);
  const recheckRoute = createRecheckRoute(deps);

  async function perform<Answer extends { readonly kind: string }>(
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
        return await store.ledger.get(id);
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
      commit: (call, ruled) => write(call, ruled.steps, by, extra),
    });
    if (done) return done;
    await recordIfRefused(missing);
    return missing;
  }

  /** Undefined if another writer was first. */
  async function write(
    call: Call,
    steps: readonly Step[],
    by: Person,
    { claiming, ...extra }: Pick<DecideOptions, 'messageEnds' | 'claiming'>,
  ): Promise<DecisionOutcome | undefined> {
    const outcome = outcomeOfSteps(steps);
    const tookEffect = outcome.kind !== 'already-decided' && outcome.kind !== 'rerouted';
    const approved =
      outcome.kind === 'decided' && outcome.call.status === 'approved' && outcome.call;
    const claim = approved ? await claiming?.claim(approved) : undefined;
    const all = claim ? [...steps, claim.step] : steps;
    const effects = { ...callEffectsOf(call, all, by), ...(tookEffect && extra) };
    const isWritten = await store.ledger
      .write(call, all, effects, claim?.seen, claim?.hold)
      .catch(ifStale);
    // Another process now holds the thread, so it makes the claim.
    if (isWritten === 'stale') return await write(call, steps, by, extra);
    if (!isWritten) return undefined;
    deps.integrity.alarmIfForged(all);
    return outcome;
  }

  async function readEdit(call: Call, command: DecisionCommand): Promise<Edited | undefined> {
    if (command.decision.kind !== 'edit') return undefined;
    const tool = deps.toolbox.of(call);
    if (!tool) {
      return {
        parsed: { ok: false, problems: [{ path: [], message: describeMissingTool(call) }] },
      };
    }
    const { args } = command.decision;
    const parsed = withoutSecrets(tool.parse(args), args, call, tool);
    if (!parsed.ok) return { parsed };
    const edited = { ...call, args: parsed.canonical };
    return { parsed, ...(await previewRun(deps, edited, tool, parsed.value)) };
  }

  return {
    decide: (command: DecisionCommand, extra?: DecideOptions) =>
      perform(
        { ...command, kind: command.decision.kind },
        async (call, permission) => {
          const edited = await readEdit(call, command);
          const tool = deps.toolbox.of(call);
          const ruling = ruleDecision(call, command, clock.now(), permission, edited, tool);
          const recheck = (onAnswer?: HearGate) => recheckRoute(call, ruling, onAnswer);
          return (await extra?.claiming?.check(recheck)) ?? (await recheck());
        },
        extra,
      ),

    /** Settling an unknown outcome needs the right to approve. */
    settle: (command: SettleCommand) =>
      perform({ ...command, kind: 'approve' }, (call, permission) =>
        ruleSettlement(call, command, clock.now(), permission, deps.toolbox.of(call)),
      ),

    async check(command: DecisionCheck) {
      const seen = await perform<DecisionOutcome | { readonly kind: 'open'; readonly call: Call }>(
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

/** Validation messages may quote secret values. */
function withoutSecrets(parsed: ParsedArgs, args: JsonValue, call: Call, tool: Tool): ParsedArgs {
  if (parsed.ok) return parsed;
  const masking = maskingOf([args], secretPathsOfCall(call, tool), { reveals: false });
  return {
    ok: false,
    problems: parsed.problems.map(({ message, path }) => ({
      path,
      message: maskWholeText(message, masking),
    })),
  };
}

const PREEMPTED: ReadonlySet<TransitionCause> = new Set(['expire', 'integrity', 'refuse']);

function outcomeOfSteps(steps: readonly Step[]): DecisionOutcome {
  const last = steps.at(-1);
  if (!last) throw new Error('A ruling has at least one step.');
  const { call, cause } = last;
  // Nothing was decided: the route had changed by then.
  if (cause === 'reroute' && steps.length === 1) return { kind: 'rerouted', call };
  // The deadline, a forged record or the policy came first, so the decision did not take effect.
  if (PREEMPTED.has(cause)) return { kind: 'already-decided', call };
  if (call.status === 'pending')
    return { kind: 'recorded', call, missing: missingApprovalCount(call) };
  return { kind: 'decided', call };
}

function ifStale(error: unknown): 'stale' {
  if (error instanceof StaleFenceError) return 'stale';
  throw error;
}
