/** A form between two answers of Slack's: its call, and all that was typed on its pages so far. */
import type { Call } from '../../domain/call.ts';
import type { DecisionOutcome } from '../../domain/decision.ts';
import type { Submission } from '../check-click.ts';
import { encodeDraft, parseDraft, takeValues } from '../forms/form-draft.ts';
import { type FormMeta, parseFormMeta } from '../forms/form-meta.ts';
import { type Draft, type FormNode, NO_DRAFT } from '../forms/form-node.ts';
import type { FormTool } from '../forms/form-spot.ts';
import { planForm } from '../forms/plan-form.ts';
import { SENTENCES, toSentence } from '../sentences.ts';
import type { HandlerDeps } from './handler.ts';

/** What a form sends when something happens in it. */
export type FormSent = Pick<Submission, 'origin' | 'token' | 'form' | 'values'>;

/** A form as it stands. */
export interface FormSession {
  readonly call: Call;
  readonly tool: FormTool;
  readonly meta: FormMeta;
  readonly draft: Draft;
  readonly plan: FormNode;
}

/** The form, or why nothing can be done in it, in words for the person. */
export type SessionFound =
  | { readonly kind: 'session'; readonly session: FormSession }
  | { readonly kind: 'over'; readonly sentence: string };

/** Finds a form's call and draft, and takes in what its view sent. */
export async function findSession(
  sent: FormSent,
  { desk, toolbox, drafts }: Pick<HandlerDeps, 'desk' | 'toolbox' | 'drafts'>,
): Promise<SessionFound> {
  const meta = parseFormMeta(sent.form);
  if (meta === undefined) return { kind: 'over', sentence: SENTENCES.notOurs };
  const look = await desk.look({ ...sent.token, by: sent.origin.person, kind: 'edit' });
  if (look.kind !== 'open') return over(look);
  const tool = toolbox.of(look.call);
  if (tool === undefined) return over({ kind: 'not-found' });
  const kept = meta.isKept ? await drafts.read(draftId(sent, meta)) : undefined;
  if (meta.isKept && kept === undefined) return { kind: 'over', sentence: SENTENCES.draftGone };
  const before = kept === undefined ? NO_DRAFT : parseDraft(kept);
  const draft = takeValues(before, planForm(look.call, tool, before), sent.values);
  const plan = planForm(look.call, tool, draft);
  return { kind: 'session', session: { call: look.call, tool, meta, draft, plan } };
}

function over(outcome: DecisionOutcome): SessionFound {
  return { kind: 'over', sentence: toSentence(outcome) };
}

/** Longer than a form stays open in anybody's Slack. */
const DRAFT_LIFE_MS = 7 * 24 * 60 * 60 * 1000;

/** Keeps the draft, so that no replica and no restart loses what other pages hold; answers what the view says from now on. */
export async function keepSession(
  sent: FormSent,
  { meta, draft }: Pick<FormSession, 'meta' | 'draft'>,
  { drafts, clock }: Pick<HandlerDeps, 'drafts' | 'clock'>,
): Promise<FormMeta> {
  await drafts.keep(draftId(sent, meta), encodeDraft(draft), clock.now() + DRAFT_LIFE_MS);
  return { ...meta, isKept: true };
}

/** Forgets the draft of a form that is done. */
export async function dropSession(
  sent: FormSent,
  { meta }: Pick<FormSession, 'meta'>,
  { drafts }: Pick<HandlerDeps, 'drafts'>,
): Promise<void> {
  if (meta.isKept) await drafts.drop(draftId(sent, meta));
}

/** A draft belongs to one form of one person on one attempt. */
function draftId({ origin, token }: FormSent, { formId }: FormMeta): string {
  const { team, user } = origin.person;
  return `${token.callId}/${token.attempt}/${team}/${user}/${formId}`;
}
