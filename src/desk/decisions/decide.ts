import { DamagedRecordError } from '../../domain/audit/damaged-record.ts';
import type { Call } from '../../domain/calls/call.ts';
import type {
  DecisionCheck,
  DecisionCommand,
  DecisionOutcome,
  SettleCommand,
} from '../../domain/calls/decision.ts';
import {
  checkDecisionLook,
  checkSettlement,
  type DecisionRuling,
  type Edited,
  missingApprovalCount,
  ruleDecision,
  ruleSettlement,
} from '../../domain/calls/decision-rules.ts';
import { describeMissingTool } from '../../domain/calls/execution-rules.ts';
import type { Step, TransitionCause } from '../../domain/calls/transitions.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { Permission } from '../../domain/people/decision-permission.ts';
import type { Person } from '../../domain/people/person.ts';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import { type Effects, type ReadRevisions, StaleFenceError } from '../../domain/ports/store.ts';
import { maskingOf, maskWholeText } from '../../domain/secrets/mask-secrets.ts';
import { secretPathsOfCall } from '../../domain/secrets/secret-paths.ts';
import type { ParsedArgs, Tool } from '../../domain/tools/tool.ts';
import { advanceCall } from '../calls/advance-call.ts';
import { callEffectsOf } from '../calls/call-effects.ts';
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

/** How the approval of a call is claimed with it. */
export interface ClaimOnApproval {
  /** Does the last look at the decision: what it has read, and heard of the policy, is the claim's too. */
  check(follow: (hear: HearGate) => Promise<DecisionRuling>): Promise<DecisionRuling>;
  /** Returns the claim, what it has read, and the hold under which it is; undefined where that is left to whoever holds the call's thread. */
  claim(approved: Call): Promise<Claim | undefined>;
}

interface Claim {
  readonly step: Step;
  readonly seen: ReadRevisions;
  readonly hold: ThreadFence;
}

/** `messageEnds` are written with what the person wished, and not where the clock or a broken digest was first. */
interface Extra extends Pick<Effects, 'messageEnds'> {
  /** The call as it was just read; when it has changed since, it is read again. */
  readonly seen?: Call;
  readonly claiming?: ClaimOnApproval | undefined;
}

/** Decides on calls for people: reads, asks whether they may, rules, writes if nobody was first, and else reads again. */
export function createDecide(deps: DecideDeps, authorize: Authorize) {
  const { store, clock } = deps;
  const renewPreview = createRenewPreview(deps);
  const remember = createRecordRefusal(deps);
  const followRoute = createRecheckRoute(deps);

  async function carryOut<Answer extends { readonly kind: string }>(
    command: Pick<DecisionCheck, 'callId' | 'by' | 'kind'>,
    rule: (
      call: Call,
      permission: Permission,
    ) => DecisionRuling<Answer> | Promise<DecisionRuling<Answer>>,
    { seen, isRead = false, ...extra }: Extra & { readonly isRead?: boolean } = {},
  ): Promise<Answer | DecisionOutcome> {
    const { by, callId, kind: decision } = command;
    async function answer<Given extends { readonly kind: string }>(given: Given): Promise<Given> {
      // Whoever only reads a call that is over is turned away from nothing.
      const isWish = !isRead || given.kind === 'not-allowed';
      if (isWish && wasRefused(given)) await remember({ callId, by, decision }, given);
      return given;
    }
    const ruleFor = async (call: Call): Promise<DecisionRuling<Answer | DecisionOutcome>> => {
      const { permission } = await authorize(call, command.by, decision);
      const ruling = await rule(call, permission);
      if (ruling.kind === 'answer') await answer(ruling.outcome);
      return ruling;
    };
    let unread: DecisionOutcome = { kind: 'not-found' };
    const find = async (id: string) => {
      try {
        return await store.ledger.get(id);
      } catch (error) {
        if (!(error instanceof DamagedRecordError)) throw error;
        deps.onDamaged?.(error);
        unread = { kind: 'damaged' };
        return undefined;
      }
    };
    const done = await advanceCall(deps, callId, ruleFor, {
      known: seen,
      find,
      commit: (call, ruled) => write(call, ruled.steps, by, extra),
    });
    return done ?? (await answer(unread));
  }

  /** Undefined when another writer was first. */
  async function write(
    call: Call,
    steps: readonly Step[],
    by: Person,
    { claiming, ...extra }: Pick<Extra, 'messageEnds' | 'claiming'>,
  ): Promise<DecisionOutcome | undefined> {
    const news = outcomeOfSteps(steps);
    const isCarriedOut = news.kind !== 'already-decided' && news.kind !== 'rerouted';
    const approved = news.kind === 'decided' && news.call.status === 'approved' && news.call;
    const claim = approved ? await claiming?.claim(approved) : undefined;
    const all = claim ? [...steps, claim.step] : steps;
    const effects = { ...callEffectsOf(call, all, by), ...(isCarriedOut && extra) };
    const isWritten = await store.ledger
      .write(call, all, effects, claim?.seen, claim?.hold)
      .catch(ifStale);
    // Another process holds the thread by now: it makes the claim.
    if (isWritten === 'stale') return await write(call, steps, by, extra);
    if (!isWritten) return undefined;
    deps.integrity.sound(all);
    return news;
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
    decide: (command: DecisionCommand, extra?: Extra) =>
      carryOut(
        { ...command, kind: command.decision.kind },
        async (call, permission) => {
          const edited = await readEdit(call, command);
          const tool = deps.toolbox.of(call);
          const ruling = ruleDecision(call, command, clock.now(), permission, edited, tool);
          const follow = (hear?: HearGate) => followRoute(call, ruling, hear);
          return (await extra?.claiming?.check(follow)) ?? (await follow());
        },
        extra,
      ),

    /** Whoever says what happened to a call has the rights of whoever approves it. */
    settle: (command: SettleCommand) =>
      carryOut({ ...command, kind: 'approve' }, (call, permission) =>
        ruleSettlement(call, command, clock.now(), permission, deps.toolbox.of(call)),
      ),

    async look(look: DecisionCheck) {
      const seen = await carryOut<DecisionOutcome | { readonly kind: 'open'; readonly call: Call }>(
        look,
        (call, permission) => {
          const ruling = look.settles
            ? checkSettlement(call, look, permission)
            : checkDecisionLook(call, look, clock.now(), permission);
          return ruling.kind === 'allowed'
            ? { kind: 'answer', outcome: { kind: 'open', call } }
            : ruling;
        },
        { isRead: look.kind === 'approve' && look.renews === true },
      );
      if (seen.kind !== 'open' || look.renews !== true) return seen;
      return { kind: 'open' as const, call: await renewPreview(seen.call) };
    },
  };
}

/** What is wrong with a value may quote it. */
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
  // Nothing was decided: the route was another one by then.
  if (cause === 'reroute' && steps.length === 1) return { kind: 'rerouted', call };
  // The clock, a broken digest or the policy was first: the person's wish was not carried out.
  if (PREEMPTED.has(cause)) return { kind: 'already-decided', call };
  if (call.status === 'pending')
    return { kind: 'recorded', call, missing: missingApprovalCount(call) };
  return { kind: 'decided', call };
}

function ifStale(error: unknown): 'stale' {
  if (error instanceof StaleFenceError) return 'stale';
  throw error;
}
