import type { Call } from '../../../domain/calls/call.ts';
import { hasOpened } from '../../../domain/calls/call-secrets.ts';
import type { DecisionOutcome } from '../../../domain/calls/decision.ts';
import { readStoredJson } from '../../../domain/json/json.ts';
import type { Person } from '../../../domain/people/person.ts';
import { isWholeOnCard } from '../../cards/call-card.ts';
import { CHOICE_BLOCK } from '../../forms/draw/choice-fields.ts';
import { buildEditForm } from '../../forms/draw/edit-form.ts';
import { REASON_BLOCK, readReason } from '../../forms/draw/reason-form.ts';
import { readReply } from '../../forms/draw/reply-form.ts';
import { buildMessageView } from '../../forms/draw/small-views.ts';
import { nodesOf } from '../../forms/plan/form-node.ts';
import { locateProblems, toFormErrors } from '../../forms/read/form-errors.ts';
import { type FormParseResult, type FormProblem, readForm } from '../../forms/read/read-form.ts';
import { addsHiddenValues } from '../../forms/read/unshown-changes.ts';
import type { Submission } from '../../inbound/interaction.ts';
import { threadLocationOf } from '../../outbound/thread-location.ts';
import { SENTENCES } from '../../text/outcome-sentences.ts';
import { describeOutcome } from '../describe-outcome.ts';
import type { Acknowledge, Handler, HandlerDeps } from '../handler.ts';
import { deleteSession, type FormSession, findSession, saveSession } from './form-session.ts';

/**
 * Handles a submitted page: shows the next page, or saves the edited arguments. Errors appear on
 * their fields, and the form keeps what was typed.
 */
export const submitEdit: Handler<Submission> = async (form, ack, deps) => {
  const found = await findSession(form, deps, { isWhole: true });
  if (found.kind === 'unusable') return ack(showOutcomeInForm(found.sentence));
  const { session } = found;
  const { call, plan, meta } = session;
  if (session.isOutdated) return redrawForm(form, session, [OUTDATED], ack, deps);
  const reading = withProblems(readForm(plan), session.problems);
  const { page, pages } = buildEditForm(call, plan, { meta });
  if (page < pages) return turnPage(form, session, reading, page + 1, ack, deps);
  if (!reading.ok) return showProblems(form, session, reading.problems, ack, deps);
  const by = form.origin.person;
  const hidden = hasHiddenChanges(session, by, deps) ? { keepsUnseen: true } : {};
  const decision = { kind: 'edit', args: reading.args, ...hidden } as const;
  const outcome = await deps.desk.decide({ ...form.token, by, decision });
  if (outcome.kind === 'invalid') {
    return showProblems(form, session, locateProblems(outcome.problems, plan), ack, deps);
  }
  await answerForm(form, outcome, ack, deps);
  await deleteSession(form, session, deps);
};

const OUTDATED: FormProblem = { path: [], message: SENTENCES.outdatedForm };

/** Adds invalid values of the view as problems. They come first and replace others of the same field. */
function withProblems(reading: FormParseResult, problems: readonly FormProblem[]): FormParseResult {
  if (problems.length === 0) return reading;
  const ids = new Set(problems.map(({ id }) => id));
  const others = reading.ok ? [] : reading.problems.filter(({ id }) => !ids.has(id));
  return { ok: false, problems: [...problems, ...others] };
}

/** Returns whether the person has not seen all of the arguments, in the form or on the card. */
function hasHiddenChanges(
  { call, tool, plan }: FormSession,
  by: Person,
  { mark }: HandlerDeps,
): boolean {
  const isOutside = call.outside !== undefined || call.server !== undefined;
  if (isOutside && addsHiddenValues(plan, readStoredJson(call.args))) return true;
  const keeps = nodesOf(plan).some((node) => node.type === 'kept' && node.why !== '');
  return keeps && !isWholeOnCard(call, { tool, mark }) && !hasOpened(call, by);
}

/** Shows the next page if this one has no errors. Errors on other pages are shown at the end. */
async function turnPage(
  form: Submission,
  session: FormSession,
  reading: FormParseResult,
  page: number,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const problemsOnPage = reading.ok
    ? []
    : reading.problems.filter(({ id = '' }) => Object.hasOwn(form.values, id));
  if (problemsOnPage.length > 0) return showProblems(form, session, problemsOnPage, ack, deps);
  const meta = await saveSession(form, session, deps);
  const { view } = buildEditForm(session.call, session.plan, { meta: { ...meta, page } });
  await ack({ response_action: 'update', view });
}

/** Shows errors on the inputs of this page; for other errors it shows the form at the first one. */
async function showProblems(
  form: Submission,
  session: FormSession,
  problems: readonly FormProblem[],
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const { call, plan, meta } = session;
  const errors = toFormErrors(problems, plan, {
    inputs: new Set(Object.keys(form.values)),
    shown: buildEditForm(call, plan, { meta }).shown,
  });
  if (errors !== undefined) return ack({ response_action: 'errors', errors });
  await redrawForm(form, session, problems, ack, deps);
}

/** Shows the form at the first problem, with the problems as text. */
async function redrawForm(
  form: Submission,
  session: FormSession,
  problems: readonly FormProblem[],
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const { call, plan } = session;
  const kept = await saveSession(form, session, deps);
  const at = problems.find(({ id }) => id !== undefined)?.id;
  const { view } = buildEditForm(call, plan, {
    meta: kept,
    problems,
    ...(at !== undefined && { at }),
  });
  await ack({ response_action: 'update', view });
}

/** Handles a person’s answer to the agent, or to another requester. */
export const submitReply: Handler<Submission> = async (form, ack, deps) => {
  const by = form.origin.person;
  const check = await deps.desk.checkDecision({ ...form.token, by, kind: 'reply' });
  if (check.kind !== 'open') return answerForm(form, check, ack, deps);
  const { call } = check;
  const read = readReply(call, form.values);
  if (read.kind === 'invalid') return ack({ response_action: 'errors', errors: read.errors });
  if (read.kind === 'text') return sendReply(read.text, form, ack, deps);
  // Slack sends only the index; the text comes from the stored call.
  const text = call.outside?.choices?.[read.place];
  if (text !== undefined) return sendReply(text, form, ack, deps);
  const errors = { [CHOICE_BLOCK]: SENTENCES.noSuchChoice };
  return ack({ response_action: 'errors', errors });
};

async function sendReply(
  text: string,
  form: Submission,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const by = form.origin.person;
  const outcome = await deps.desk.decide({ ...form.token, by, decision: { kind: 'reply', text } });
  await answerForm(form, outcome, ack, deps);
}

/** Handles an approval with its reason. */
export const submitReason: Handler<Submission> = async (form, ack, deps) => {
  const read = readReason(form.values);
  if (!read.ok) return ack(reasonError(read.message));
  const by = form.origin.person;
  const decision = { kind: 'approve', reason: read.reason } as const;
  const outcome = await deps.desk.decide({ ...form.token, by, decision });
  if (outcome.kind === 'invalid') {
    return ack(reasonError(outcome.problems.map(({ message }) => message).join(' ')));
  }
  await answerForm(form, outcome, ack, deps);
};

function reasonError(sentence: string) {
  return { response_action: 'errors', errors: { [REASON_BLOCK]: sentence } } as const;
}

function showOutcomeInForm(sentence: string) {
  return { response_action: 'update', view: buildMessageView(sentence) } as const;
}

async function answerForm(
  form: Submission,
  outcome: DecisionOutcome,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const { person } = form.origin;
  if (outcome.kind !== 'decided' && outcome.kind !== 'recorded') {
    return ack(showOutcomeInForm(await describeOutcome(outcome, person, deps)));
  }
  await ack();
  const text = await describeOutcome(outcome, person, deps);
  const location = await cardLocationFor(outcome.call, deps);
  await deps.privateNotices.tell({ user: person.user, ...location, text });
}

/** Returns where the form’s card is: in the thread, or at the top level of another channel. */
async function cardLocationFor(call: Call, { cardOf }: HandlerDeps) {
  const { channel, root } = threadLocationOf(call.thread);
  const card = await cardOf(call.id);
  return card && card.channel !== channel ? { channel: card.channel } : { channel, root };
}
