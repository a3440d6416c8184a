/** Handles the submitted form of a route, and Slack's requests for options. */
import type { ModalView, PlainTextOption } from '@slack/types';
import type { RouteList, SetRouteOutcome } from '../../../desk/control/routes.ts';
import type { Person } from '../../../domain/people/person.ts';
import type { RouteField, RouteProblem } from '../../../domain/policy/route-problem.ts';
import { buildMessageView } from '../../forms/draw/small-views.ts';
import { validateInputs } from '../../forms/read/validate-inputs.ts';
import {
  explainForeignPayload,
  originOf,
  type RejectedInteraction,
} from '../../inbound/parse-click.ts';
import { explainInvalidForm, unknownElement } from '../../inbound/validate-payload.ts';
import type { Acknowledge, FormAnswer, HandlerDeps } from '../../interactions/handler.ts';
import { recordRejected, rejectForm } from '../../interactions/reject-click.ts';
import { LIMITS } from '../../text/limits.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../../transport/payload.ts';
import { redrawRouteList } from '../route-clicks.ts';
import { ROUTE_ACTIONS, ROUTE_BLOCKS, ROUTE_VIEWS } from '../route-ids.ts';
import { describeRouteConflict } from '../route-sentences.ts';
import { channelWarning } from './channel-warning.ts';
import { groupOption } from './form-elements.ts';
import { buildOtherStep, type FormState, readFormState } from './form-steps.ts';
import { readRouteForm } from './parse-route-form.ts';
import { parseRouteFormMetadata, type RouteFormMetadata } from './route-form-metadata.ts';

const ROUTE_FORMS: ReadonlySet<string> = new Set([ROUTE_VIEWS.form]);

/** Tells whether a payload belongs to the form of a route. */
export function isRouteForm(body: unknown): boolean {
  const view = isPayload(body) ? objectAt(body, 'view') : {};
  return textAt(view, 'callback_id') === ROUTE_VIEWS.form;
}

/**
 * Saves a submitted form. Errors appear on their fields, and the form stays open with its input.
 */
export async function submitRoute(
  body: unknown,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const payload = isPayload(body) ? body : {};
  const view = objectAt(payload, 'view');
  const origin = originOf(payload, deps.identity);
  const meta = parseRouteFormMetadata(textAt(view, 'private_metadata') ?? '');
  const wrong =
    explainForeignPayload(payload, origin, deps.identity) ??
    explainInvalidForm(payload, 'view_submission', ROUTE_FORMS) ??
    (meta ? undefined : unknownElement('no route'));
  if (wrong || !meta) {
    const refused: RejectedInteraction = {
      kind: 'refused',
      origin,
      subject: ROUTE_VIEWS.form,
      ...(wrong ?? unknownElement('no route')),
    };
    return rejectForm(refused, view, ack, deps);
  }
  const found = await deps.routes.list(origin.person);
  if (found.kind !== 'routes') return ack(messageResponse(found.sentence));
  const state = await readFormState(found, meta, origin.person, view, deps);
  if (state === undefined) return ack(messageResponse(NOT_KEPT));
  const { fields, values } = state;
  const answerProblems = async (problems: readonly RouteProblem[]) =>
    ack(await showProblems(problems, view, state, origin.person, deps));
  const errors = await checkValues(fields, values, found, deps);
  if (errors !== undefined) return ack(await showErrors(errors, view, state, origin.person, deps));
  const reading = readRouteForm(values, meta.name);
  if (!reading.ok) return await answerProblems(reading.problems);
  const { draft } = reading;
  const outcome = await deps.routes.set({ by: origin.person, draft, seen: meta.seen });
  switch (outcome.kind) {
    case 'not-allowed':
      return ack(messageResponse(outcome.sentence));
    case 'invalid':
      return await answerProblems(outcome.problems);
    case 'changed-meanwhile':
      return await answerProblems([
        { field: 'name', message: describeRouteConflict(outcome, draft.name) },
      ]);
    case 'saved':
    case 'unchanged':
      await ack(undefined);
      return await showSaved(payload, meta, draft.channel, outcome, deps);
  }
}

const NOT_KEPT =
  'This form has expired, and your input on its other step is lost. Nothing was saved. Please open it again.';

/** Finds values that the form can't have sent, by block id; undefined if there are none. */
async function checkValues(
  inputs: FormState['fields'],
  values: Payload,
  { book }: RouteList,
  deps: HandlerDeps,
): Promise<Readonly<Record<string, string>> | undefined> {
  // Missing values have their own messages.
  const problems = validateInputs(inputs, values, { isWhole: false });
  const groups = await deps.userGroups();
  const known = new Set([
    ...groups.map(({ id }) => id),
    ...book.routes.flatMap(({ approvers }) => approvers.map((each) => each.split(':')[1])),
  ]);
  const field = objectAt(objectAt(values, ROUTE_BLOCKS.groups), ROUTE_ACTIONS.groups);
  const chosen = listAt(field, 'selected_options').map(({ value }) => value);
  // If Slack can't list the user groups now, accept any.
  const isUnknown = groups.length > 0 && chosen.some((id) => !known.has(String(id)));
  const all = Object.fromEntries([
    ...(isUnknown ? [[ROUTE_BLOCKS.groups, 'Choose from the list.']] : []),
    ...problems.map(({ id, message }) => [id, message]),
  ]);
  return Object.keys(all).length === 0 ? undefined : all;
}

async function showSaved(
  payload: Payload,
  { from, name }: RouteFormMetadata,
  channel: string | undefined,
  outcome: SetRouteOutcome,
  deps: HandlerDeps,
): Promise<void> {
  const { person } = originOf(payload, deps.identity);
  await deps.home.follow(person);
  if (from === 'home') return;
  const viewId = textAt(objectAt(payload, 'view'), 'previous_view_id');
  const done = name === undefined ? 'The route was added.' : `The route “${name}” was changed.`;
  const note = await channelWarning(channel, deps);
  const result = outcome.kind === 'unchanged' ? 'No changes.' : done;
  await redrawRouteList(
    { person, viewId },
    note === undefined ? result : `${result} ${note}`,
    deps,
  );
}

const BLOCK_OF: Readonly<Record<RouteField, readonly string[]>> = {
  name: [ROUTE_BLOCKS.name],
  tools: [ROUTE_BLOCKS.patterns],
  channel: [ROUTE_BLOCKS.channel],
  approvers: [ROUTE_BLOCKS.people],
  quorum: [ROUTE_BLOCKS.quorum],
  counts: [ROUTE_BLOCKS.counts],
  decisions: [ROUTE_BLOCKS.decisions],
  deadline: [ROUTE_BLOCKS.deadline],
  remindAfter: [ROUTE_BLOCKS.remindAfter],
  escalateAfter: [ROUTE_BLOCKS.escalateAfter],
  escalateTo: [ROUTE_BLOCKS.escalateTo],
};

type Errors = Readonly<Record<string, string>>;

/** An existing route's name has no input, so its errors go to the first input. */
async function showProblems(
  problems: readonly RouteProblem[],
  view: Payload,
  state: FormState,
  by: Person,
  deps: HandlerDeps,
): Promise<FormAnswer> {
  const known = inputsOf(state.fields);
  const errors: Record<string, string> = {};
  for (const { field, message } of problems) {
    const block = BLOCK_OF[field].find((id) => known.includes(id)) ?? shownInputs(view)[0] ?? '';
    errors[block] = errors[block] === undefined ? message : `${errors[block]} ${message}`;
  }
  return await showErrors(errors, view, state, by, deps);
}

/** Slack only shows errors for inputs in view. Otherwise switch to the step with the error. */
async function showErrors(
  errors: Errors,
  view: Payload,
  state: FormState,
  by: Person,
  deps: HandlerDeps,
): Promise<FormAnswer> {
  const shown = shownInputs(view);
  const here = Object.entries(errors).filter(([id]) => shown.includes(id));
  if (here.length > 0) return { response_action: 'errors', errors: Object.fromEntries(here) };
  const problem = Object.entries(errors)
    .map(([id, message]) => `${labelOf(id, state.fields)}: ${message}`)
    .join('\n');
  const isMore = state.parts.meta.isMore !== true;
  const other = await buildOtherStep(state, { isMore, problem }, by, deps);
  return { response_action: 'update', view: other };
}

function shownInputs(view: Payload): readonly string[] {
  return listAt(view, 'blocks').flatMap((block) =>
    block.type === 'input' ? [textAt(block, 'block_id') ?? ''] : [],
  );
}

function inputsOf(fields: FormState['fields']): readonly string[] {
  return fields.flatMap(({ block_id: id = '', type }) => (type === 'input' ? [id] : []));
}

function labelOf(id: string, fields: FormState['fields']): string {
  const found = fields.find((block) => block.block_id === id);
  return found?.type === 'input' ? found.label.text : id;
}

function messageResponse(sentence: string): {
  readonly response_action: 'update';
  readonly view: ModalView;
} {
  return { response_action: 'update', view: buildMessageView(sentence) };
}

/** Tells whether Slack requests options for a field of this form. */
export function isRouteQuestion(body: unknown): boolean {
  return isPayload(body) && textAt(body, 'action_id') === ROUTE_ACTIONS.groups;
}

/** Finds the user groups whose handle contains the typed text. */
export async function suggestGroups(body: unknown, deps: HandlerDeps): Promise<PlainTextOption[]> {
  const payload = isPayload(body) ? body : {};
  const origin = originOf(payload, deps.identity);
  const wrong =
    explainForeignPayload(payload, origin, deps.identity) ??
    explainInvalidForm(payload, 'block_suggestion', ROUTE_FORMS);
  if (wrong) {
    const subject = ROUTE_ACTIONS.groups;
    await recordRejected({ kind: 'refused', origin, subject, ...wrong }, deps);
    return [];
  }
  const typed = (textAt(payload, 'value') ?? '').trim().toLowerCase().replace(/^@/, '');
  const groups = await deps.userGroups();
  return groups
    .filter(({ handle }) => handle.toLowerCase().includes(typed))
    .slice(0, LIMITS.selectOptions)
    .map(groupOption);
}
