/** The state of an open form between two clicks: its call, and what was typed on its pages so far. */
import type { Call } from '../../../domain/calls/call.ts';
import type { DecisionOutcome } from '../../../domain/calls/decision.ts';
import { buildEditForm } from '../../forms/draw/edit-form.ts';
import { type Draft, type FormNode, NO_DRAFT, nodesOf } from '../../forms/plan/form-node.ts';
import type { FormTool } from '../../forms/plan/plan-context.ts';
import { planForm } from '../../forms/plan/plan-form.ts';
import { encodeDraft, parseDraft, takeValues } from '../../forms/read/form-draft.ts';
import { type FormMetadata, parseFormMetadata } from '../../forms/read/form-metadata.ts';
import type { FormProblem } from '../../forms/read/read-form.ts';
import {
  type InputProblem,
  validateInputs,
  valuesOfInputs,
} from '../../forms/read/validate-inputs.ts';
import type { Submission } from '../../inbound/interaction.ts';
import { outcomeSentence, SENTENCES } from '../../text/outcome-sentences.ts';
import type { Payload } from '../../transport/payload.ts';
import type { HandlerDeps } from '../handler.ts';

/** The parts of a click or submission in a form that find its session. */
export type FormEvent = Pick<Submission, 'origin' | 'token' | 'metadata' | 'values'>;

/** The state of a form, with the values of the current page. */
export interface FormSession {
  readonly call: Call;
  readonly tool: FormTool;
  readonly meta: FormMetadata;
  readonly draft: Draft;
  readonly plan: FormNode;
  /** Values that the shown page could not have sent. They are not in the draft. */
  readonly problems: readonly FormProblem[];
  /** Whether the view has fields that are no longer on this page. */
  readonly isOutdated: boolean;
}

/** The session, or a sentence for the person why the form can’t be used. */
export type SessionFound =
  | { readonly kind: 'session'; readonly session: FormSession }
  | { readonly kind: 'unusable'; readonly sentence: string };

/** Loads a form’s call and draft, and adds the values of its view. `isWhole` is set for a submission. */
export async function findSession(
  event: FormEvent,
  { desk, toolbox, drafts }: Pick<HandlerDeps, 'desk' | 'toolbox' | 'drafts'>,
  { isWhole }: { readonly isWhole: boolean } = { isWhole: false },
): Promise<SessionFound> {
  const meta = parseFormMetadata(event.metadata);
  if (meta === undefined) return { kind: 'unusable', sentence: SENTENCES.notOurs };
  const check = await desk.checkDecision({ ...event.token, by: event.origin.person, kind: 'edit' });
  if (check.kind !== 'open') return unusable(check);
  const tool = toolbox.of(check.call);
  if (tool === undefined) return unusable({ kind: 'not-found' });
  const stored = meta.isKept ? await drafts.read(draftId(event, meta)) : undefined;
  if (meta.isKept && stored === undefined)
    return { kind: 'unusable', sentence: SENTENCES.draftGone };
  const before = stored === undefined ? NO_DRAFT : parseDraft(stored);
  const shownPlan = planForm(check.call, tool, before);
  const { blocks } = buildEditForm(check.call, shownPlan, { meta }).view;
  const values = valuesOfInputs(blocks, event.values);
  const problems = validateInputs(blocks, values, { isWhole });
  const draft = takeValues(before, shownPlan, without(values, problems));
  const session = {
    call: check.call,
    tool,
    meta,
    draft,
    plan: planForm(check.call, tool, draft),
    problems: problems.map((each) => ({ ...each, path: [] })),
    isOutdated: nodesOf(shownPlan).some(
      ({ id }) => Object.hasOwn(event.values, id) && !Object.hasOwn(values, id),
    ),
  };
  return { kind: 'session', session };
}

function without(values: Payload, problems: readonly InputProblem[]): Payload {
  const ids = new Set(problems.map(({ id }) => id));
  return Object.fromEntries(Object.entries(values).filter(([id]) => !ids.has(id)));
}

function unusable(outcome: DecisionOutcome): SessionFound {
  return { kind: 'unusable', sentence: outcomeSentence(outcome) };
}

/** Longer than a form stays open in Slack. */
const DRAFT_LIFE_MS = 7 * 24 * 60 * 60 * 1000;

/** Stores the draft, so that it survives a restart and other replicas find it. Resolves with the view’s new metadata. */
export async function saveSession(
  event: FormEvent,
  { meta, draft }: Pick<FormSession, 'meta' | 'draft'>,
  { drafts, clock }: Pick<HandlerDeps, 'drafts' | 'clock'>,
): Promise<FormMetadata> {
  await drafts.keep(draftId(event, meta), encodeDraft(draft), clock.now() + DRAFT_LIFE_MS);
  return { ...meta, isKept: true };
}

/** Deletes the draft of a finished form. */
export async function deleteSession(
  event: FormEvent,
  { meta }: Pick<FormSession, 'meta'>,
  { drafts }: Pick<HandlerDeps, 'drafts'>,
): Promise<void> {
  if (meta.isKept) await drafts.drop(draftId(event, meta));
}

/** A draft belongs to one form, person and attempt. */
function draftId({ origin, token }: FormEvent, { formId }: FormMetadata): string {
  const { team, user } = origin.person;
  return `${token.callId}/${token.attempt}/${team}/${user}/${formId}`;
}
