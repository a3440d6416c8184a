/** Approved calls are taken by the program that requested them: once, after a final check. */
import type { Call } from '../../domain/calls/call.ts';
import type { Outcome } from '../../domain/calls/outcome.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import { withdrawCall } from '../../domain/rules/end-rules.ts';
import { recordRunEnd } from '../../domain/rules/execution-rules.ts';
import { advanceCall, commitSteps, type Ruled } from '../calls/advance-call.ts';
import { createClaim } from '../calls/execution/claim.ts';
import type { DeskDeps } from '../deps.ts';
import type { EndOutcome, ExternalCaller, TakeOutcome } from './external-request.ts';
import { actorOfKey } from './request-call.ts';

export interface TakeDeps
  extends Pick<
    DeskDeps,
    'store' | 'clock' | 'toolbox' | 'helpers' | 'gate' | 'log' | 'directory' | 'integrity'
  > {
  /** How long (ms) a program may take to report the result of a call that it has taken. */
  readonly reportMs: number;
}

type Taker = Pick<ExternalCaller, 'key'>;

/** Builds a program's use cases for its own calls; calls of other API keys are not found. */
export function createTakeCall(deps: TakeDeps) {
  const { clock } = deps;
  const stepToClaim = createClaim(deps, { endedBy: async () => undefined });

  return {
    find: (id: string, taker: Taker) => find(deps, id, taker),

    /** Takes an approved call: the caller may run it, once. `digest` is the full digest. */
    take: (id: string, taker: Taker, digest: string): Promise<TakeOutcome> =>
      perform<TakeOutcome>(
        deps,
        id,
        taker,
        async (call) => {
          if (call.status !== 'approved') return answer({ kind: 'not-approved', call });
          if (call.digest !== digest) return answer({ kind: 'other-digest', call });
          const step = await tryToClaim(stepToClaim, deps.log, call);
          return step
            ? steps(...stepsOfTaking(step, deps.reportMs))
            : answer({ kind: 'held', call });
        },
        (call) => (call.claim ? { kind: 'taken', call } : { kind: 'not-approved', call }),
      ),

    /** Records the result of a call that the caller has taken. */
    report: (
      id: string,
      taker: Taker,
      outcome: Extract<Outcome, { kind: 'result' | 'error' }>,
    ): Promise<EndOutcome> =>
      perform<EndOutcome>(
        deps,
        id,
        taker,
        async (call) =>
          call.status === 'running'
            ? steps(asDelivered(recordRunEnd(call, outcome, clock.now())))
            : answer({ kind: 'too-late', call }),
        (call) => ({ kind: 'ended', call }),
      ),

    /** Cancels a call that nobody has taken yet. */
    cancel: (id: string, taker: Taker): Promise<EndOutcome> =>
      perform<EndOutcome>(
        deps,
        id,
        taker,
        async (call) => {
          const step =
            call.status === 'running' ? undefined : withdrawCall(call, 'cancelled', clock.now());
          return step ? steps(asDelivered(step)) : answer({ kind: 'too-late', call });
        },
        (call) => ({ kind: 'ended', call }),
      ),
  };
}

async function find(
  { store }: Pick<TakeDeps, 'store'>,
  id: string,
  { key }: Taker,
): Promise<Call | undefined> {
  const call = await store.ledger.get(id);
  return call?.outside?.key === key ? call : undefined;
}

/** The step to take the call; undefined if it can't be checked now. */
async function tryToClaim(
  stepToClaim: ReturnType<typeof createClaim>,
  log: TakeDeps['log'],
  call: Call,
): Promise<Step | undefined> {
  try {
    return await stepToClaim(call, { fence: 0, tries: 0 });
  } catch (error) {
    log.warn({ err: error, call: call.id }, 'Could not check a call before it was taken.');
    return undefined;
  }
}

/** For programs that do not report results, the call ends when it is taken. */
function stepsOfTaking(step: Step, reportMs: number): readonly Step[] {
  const { call } = step;
  if (call.status !== 'running') return [step];
  const deadlineAt = call.updatedAt + reportMs;
  const taken = { ...step, call: { ...call, deadlineAt } };
  if (!call.outside?.isSilent) return [taken];
  const text = `Approved and picked up. “${call.outside.name}” doesn’t report results.`;
  return [taken, recordRunEnd(taken.call, { kind: 'result', text }, call.updatedAt)];
}

/** Advances a call of the program; `answerWith` is the answer after the commit. */
async function perform<Answer extends { readonly kind: string }>(
  deps: TakeDeps,
  id: string,
  taker: Taker,
  rule: (call: Call) => Promise<Ruled<Answer>>,
  answerWith: (call: Call) => Answer,
): Promise<Answer | { readonly kind: 'not-found' }> {
  const outcome = await advanceCall<Answer>(deps, id, rule, {
    find: (callId) => find(deps, callId, taker),
    commit: async (call, { steps }) => {
      const isWritten = await commitSteps(deps, call, steps, { actor: actorOfKey(taker) });
      return isWritten ? answerWith(steps.at(-1)?.call ?? call) : undefined;
    },
  });
  return outcome ?? { kind: 'not-found' };
}

function answer<Answer>(outcome: Answer): Ruled<Answer> {
  return { kind: 'answer', outcome };
}

function steps(...all: readonly Step[]): Ruled<never> {
  return { kind: 'steps', steps: all };
}

/** The caller brings the outcome, so it counts as delivered. */
function asDelivered(step: Step): Step {
  return { ...step, call: { ...step.call, delivered: true } };
}
