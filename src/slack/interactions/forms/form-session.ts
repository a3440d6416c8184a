/** A form between two answers of Slack's: its call, and all that was typed on its pages so far. */
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
import type { Submission } from '../../inbound/parse-click.ts';
import { outcomeSentence, SENTENCES } from '../../text/outcome-sentences.ts';
import type { Payload } from '../../transport/payload.ts';
import type { HandlerDeps } from '../handler.ts';

/** What a form sends when something happens in it. */
export type FormEvent = Pick<Submission, 'origin' | 'token' | 'form' | 'values'>;

/** A form as it stands. */
export interface FormSession {
  readonly call: Call;
  readonly tool: FormTool;
  readonly meta: FormMetadata;
  readonly draft: Draft;
  readonly plan: FormNode;
  /** What its view sent that the page, as it was drawn, can't hold: none of it is in the draft. */
  readonly problems: readonly FormProblem[];
  /** Whether its view has fields that stand on another page by now. */
  readonly isOutdated: boolean;
}

/** The form, or why nothing can be done in it, in words for the person. */
export type SessionFound =
  | { readonly kind: 'session'; readonly session: FormSession }
  | { readonly kind: 'over'; readonly sentence: string };

/** Finds a form's call and draft, and takes in what its view sent; `isWhole` where it was submitted. */
export async function findSession(
  sent: FormEvent,
  { desk, toolbox, drafts }: Pick<HandlerDeps, 'desk' | 'toolbox' | 'drafts'>,
  { isWhole }: { readonly isWhole: boolean } = { isWhole: false },
): Promise<SessionFound> {
  const meta = parseFormMetadata(sent.form);
  if (meta === undefined) return { kind: 'over', sentence: SENTENCES.notOurs };
  const look = await desk.checkDecision({ ...sent.token, by: sent.origin.person, kind: 'edit' });
  if (look.kind !== 'open') return over(look);
  const tool = toolbox.of(look.call);
  if (tool === undefined) return over({ kind: 'not-found' });
  const kept = meta.isKept ? await drafts.read(draftId(sent, meta)) : undefined;
  if (meta.isKept && kept === undefined) return { kind: 'over', sentence: SENTENCES.draftGone };
  const before = kept === undefined ? NO_DRAFT : parseDraft(kept);
  const drawn = planForm(look.call, tool, before);
  const { blocks } = buildEditForm(look.call, drawn, { meta }).view;
  const values = valuesOfInputs(blocks, sent.values);
  const wrong = validateInputs(blocks, values, { isWhole });
  const draft = takeValues(before, drawn, without(values, wrong));
  const session = {
    call: look.call,
    tool,
    meta,
    draft,
    plan: planForm(look.call, tool, draft),
    problems: wrong.map((each) => ({ ...each, path: [] })),
    isOutdated: nodesOf(drawn).some(
      ({ id }) => Object.hasOwn(sent.values, id) && !Object.hasOwn(values, id),
    ),
  };
  return { kind: 'session', session };
}

function without(values: Payload, problems: readonly InputProblem[]): Payload {
  const wrong = new Set(problems.map(({ id }) => id));
  return Object.fromEntries(Object.entries(values).filter(([id]) => !wrong.has(id)));
}

function over(outcome: DecisionOutcome): SessionFound {
  return { kind: 'over', sentence: outcomeSentence(outcome) };
}

/** Longer than a form stays open in anybody's Slack. */
const DRAFT_LIFE_MS = 7 * 24 * 60 * 60 * 1000;

/** Keeps the draft, so that no replica and no restart loses what other pages hold; answers what the view says from now on. */
export async function saveSession(
  sent: FormEvent,
  { meta, draft }: Pick<FormSession, 'meta' | 'draft'>,
  { drafts, clock }: Pick<HandlerDeps, 'drafts' | 'clock'>,
): Promise<FormMetadata> {
  await drafts.keep(draftId(sent, meta), encodeDraft(draft), clock.now() + DRAFT_LIFE_MS);
  return { ...meta, isKept: true };
}

/** Forgets the draft of a form that is done. */
export async function deleteSession(
  sent: FormEvent,
  { meta }: Pick<FormSession, 'meta'>,
  { drafts }: Pick<HandlerDeps, 'drafts'>,
): Promise<void> {
  if (meta.isKept) await drafts.drop(draftId(sent, meta));
}

/** A draft belongs to one form of one person on one attempt. */
function draftId({ origin, token }: FormEvent, { formId }: FormMetadata): string {
  const { team, user } = origin.person;
  return `${token.callId}/${token.attempt}/${team}/${user}/${formId}`;
}
