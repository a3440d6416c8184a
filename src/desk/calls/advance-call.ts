import type { Call } from '../../domain/calls/call.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Effects, ReadRevisions } from '../../domain/ports/store.ts';
import type { DecisionRuling } from '../../domain/rules/decision-rules.ts';
import type { DeskDeps } from '../deps.ts';
import { callEffectsOf } from './call-effects.ts';

type AdvanceDeps = Pick<DeskDeps, 'store'> & Partial<Pick<DeskDeps, 'integrity'>>;

/** Steps to commit, or an answer that commits nothing. The commit fails if `seen` has changed. */
export type Ruled<Answer> = DecisionRuling<Answer> & { readonly seen?: ReadRevisions };

type Steps = Extract<Ruled<never>, { kind: 'steps' }>;

interface AdvanceOptions<Answer> {
  /** The call as just read; saves the first read. */
  readonly known?: Call | undefined;
  /** Reads the call. Default: from the ledger. */
  readonly find?: (id: string) => Promise<Call | undefined>;
  /** Commits the steps. Resolves with undefined if another writer was first. */
  readonly commit: (call: Call, ruled: Steps) => Promise<Answer | undefined>;
}

/**
 * Reads a call, rules on it and commits; retries from the read if another writer was first.
 * Resolves with undefined if the call does not exist.
 */
export async function advanceCall<Answer>(
  { store }: AdvanceDeps,
  id: string,
  rule: (call: Call) => Ruled<Answer> | Promise<Ruled<Answer>>,
  { known, commit, find = (callId) => store.ledger.get(callId) }: AdvanceOptions<Answer>,
): Promise<Answer | undefined> {
  for (let seen = known; ; seen = undefined) {
    const call = seen ?? (await find(id));
    if (!call) return undefined;
    const ruled = await rule(call);
    if (ruled.kind === 'answer') return ruled.outcome;
    const answer = await commit(call, ruled);
    if (answer !== undefined) return answer;
  }
}

/** Applies the step that the rule returns, if any. Resolves with the call afterwards. */
export async function advanceByStep(
  deps: AdvanceDeps,
  id: string,
  stepOf: (call: Call) => Step | undefined | Promise<Step | undefined>,
  { known, find, ...options }: CommitOptions & Pick<AdvanceOptions<Call>, 'known' | 'find'> = {},
): Promise<Call | undefined> {
  const rule = async (call: Call): Promise<Ruled<Call>> => {
    const step = await stepOf(call);
    return step ? { kind: 'steps', steps: [step] } : { kind: 'answer', outcome: call };
  };
  const commit = async (call: Call, { steps }: Steps) =>
    (await commitSteps(deps, call, steps, options)) ? steps.at(-1)?.call : undefined;
  return await advanceCall(deps, id, rule, { known, commit, ...(find && { find }) });
}

interface CommitOptions {
  readonly by?: Person | undefined;
  /** Who the audit names, if it is not a person. */
  readonly actor?: string;
  /** Replaces or extends the effects that follow from the steps. */
  readonly effects?: Effects;
}

/**
 * Commits steps of a call with their audit entries and tasks. False if another writer was first.
 */
export async function commitSteps(
  { store, integrity }: AdvanceDeps,
  call: Call,
  steps: readonly Step[],
  { actor, by, effects }: CommitOptions = {},
): Promise<boolean> {
  const own = callEffectsOf(call, steps, by);
  const audit = actor === undefined ? own.audit : own.audit.map((entry) => ({ ...entry, actor }));
  if (!(await store.ledger.write(call, steps, { ...own, audit, ...effects }))) return false;
  integrity?.alarmIfForged(steps);
  return true;
}
