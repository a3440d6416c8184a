/** The submitted form of a route, and the questions for the choices of its fields. */
import type { ModalView, PlainTextOption } from '@slack/types';
import type { RoutesFound, SetRouteOutcome } from '../../desk/set-routes.ts';
import type { RouteField, RouteProblem } from '../../domain/route-problem.ts';
import { originOf, type Refused, whyNotOurs } from '../check-click.ts';
import { notOurs, whyNotAForm } from '../check-payload.ts';
import { checkInputs, ofInputs } from '../forms/check-inputs.ts';
import { buildMessageView } from '../forms/small-views.ts';
import type { Acknowledge, HandlerDeps } from '../handlers/handler.ts';
import { LIMITS } from '../limits.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../payload.ts';
import { recordRefused, refuseForm } from '../refuse-click.ts';
import { channelNote } from './channel-note.ts';
import { groupOption } from './input-parts.ts';
import { readRouteForm } from './read-route-form.ts';
import { showList } from './route-clicks.ts';
import { buildRouteForm } from './route-form.ts';
import { ROUTE_ACTIONS, ROUTE_BLOCKS, ROUTE_VIEWS } from './route-ids.ts';
import { parseRouteMeta, type RouteMeta } from './route-meta.ts';
import { sayMeanwhile } from './route-sentences.ts';

const ROUTE_FORMS: ReadonlySet<string> = new Set([ROUTE_VIEWS.form]);

/** Tells whether a payload is about the form of a route. */
export function isRouteForm(body: unknown): boolean {
  const view = isPayload(body) ? objectAt(body, 'view') : {};
  return textAt(view, 'callback_id') === ROUTE_VIEWS.form;
}

/** Takes a submitted form: what is wrong appears on its field, and the form stays as typed. */
export async function submitRoute(
  body: unknown,
  ack: Acknowledge,
  deps: HandlerDeps,
): Promise<void> {
  const payload = isPayload(body) ? body : {};
  const view = objectAt(payload, 'view');
  const origin = originOf(payload, deps.identity);
  const meta = parseRouteMeta(textAt(view, 'private_metadata') ?? '');
  const wrong =
    whyNotOurs(payload, origin, deps.identity) ??
    whyNotAForm(payload, 'view_submission', ROUTE_FORMS) ??
    (meta ? undefined : notOurs('no route'));
  if (wrong || !meta) {
    const refused: Refused = {
      kind: 'refused',
      origin,
      subject: ROUTE_VIEWS.form,
      ...(wrong ?? notOurs('no route')),
    };
    return refuseForm(refused, view, ack, deps);
  }
  const found = await deps.routes.look(origin.person);
  if (found.kind !== 'routes') return ack(tell(found.sentence));
  const sent = objectAt(objectAt(view, 'state'), 'values');
  const inputs = await drawInputs(found, meta, deps);
  const values = ofInputs(inputs, sent);
  const errors = await checkValues(inputs, values, found, deps);
  if (errors !== undefined) return ack({ response_action: 'errors', errors });
  const reading = readRouteForm(values, meta.name);
  if (!reading.ok) return ack(showProblems(reading.problems, view));
  const { draft } = reading;
  const outcome = await deps.routes.set({ by: origin.person, draft, seen: meta.seen });
  const answer = answerOf(outcome, draft.name, view);
  await ack(answer);
  if (answer === undefined) await showSaved(payload, meta, draft.channel, outcome, deps);
}

/** The form as it was drawn, from the routes as they are: what has changed since is told by the desk. */
async function drawInputs(
  { book }: RoutesFound,
  meta: RouteMeta,
  deps: HandlerDeps,
): Promise<ModalView['blocks']> {
  const route = book.routes.find((each) => each.name === meta.name);
  const tools = deps.toolbox.list().map(({ name }) => name);
  return buildRouteForm({ route, book, tools, groups: await deps.userGroups(), meta }).blocks;
}

/** Finds what the form can't have sent, by block id; undefined when it is nothing. */
async function checkValues(
  inputs: ModalView['blocks'],
  values: Payload,
  { book }: RoutesFound,
  deps: HandlerDeps,
): Promise<Readonly<Record<string, string>> | undefined> {
  // What is missing is told in words of its own.
  const problems = checkInputs(inputs, values, { isWhole: false });
  const groups = await deps.userGroups();
  const known = new Set([
    ...groups.map(({ id }) => id),
    ...book.routes.flatMap(({ approvers }) => approvers.map((each) => each.split(':')[1])),
  ]);
  const field = objectAt(objectAt(values, ROUTE_BLOCKS.groups), ROUTE_ACTIONS.groups);
  const chosen = listAt(field, 'selected_options').map(({ value }) => value);
  // Where Slack does not list them now, none can be called unknown.
  const isUnknown = groups.length > 0 && chosen.some((id) => !known.has(String(id)));
  const all = Object.fromEntries([
    ...(isUnknown ? [[ROUTE_BLOCKS.groups, 'Choose from the list.']] : []),
    ...problems.map(({ id, message }) => [id, message]),
  ]);
  return Object.keys(all).length === 0 ? undefined : all;
}

function answerOf(outcome: SetRouteOutcome, name: string, view: Payload) {
  switch (outcome.kind) {
    case 'saved':
    case 'unchanged':
      return undefined;
    case 'not-allowed':
      return tell(outcome.sentence);
    case 'invalid':
      return showProblems(outcome.problems, view);
    case 'changed-meanwhile':
      return showProblems([{ field: 'name', message: sayMeanwhile(outcome, name) }], view);
  }
}

async function showSaved(
  payload: Payload,
  { from, name }: RouteMeta,
  channel: string | undefined,
  outcome: SetRouteOutcome,
  deps: HandlerDeps,
): Promise<void> {
  const { person } = originOf(payload, deps.identity);
  await deps.home.follow(person);
  if (from === 'home') return;
  const viewId = textAt(objectAt(payload, 'view'), 'previous_view_id');
  const done = name === undefined ? 'The route is set up.' : `The route “${name}” is changed.`;
  const note = await channelNote(channel, deps);
  const said = outcome.kind === 'unchanged' ? 'Nothing was different.' : done;
  await showList({ person, viewId }, note === undefined ? said : `${said} ${note}`, deps);
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

/** Slack shows errors on inputs of the view alone: the name of a route that is changed is none. */
function showProblems(problems: readonly RouteProblem[], view: Payload) {
  const inputs = listAt(view, 'blocks').flatMap((block) =>
    block.type === 'input' ? [textAt(block, 'block_id') ?? ''] : [],
  );
  const errors: Record<string, string> = {};
  for (const { field, message } of problems) {
    const block = BLOCK_OF[field].find((id) => inputs.includes(id)) ?? inputs[0] ?? '';
    errors[block] = errors[block] === undefined ? message : `${errors[block]} ${message}`;
  }
  return { response_action: 'errors', errors } as const;
}

function tell(sentence: string): { readonly response_action: 'update'; readonly view: ModalView } {
  return { response_action: 'update', view: buildMessageView(sentence) };
}

/** Tells whether Slack asks for the choices of a field of such a form. */
export function isRouteQuestion(body: unknown): boolean {
  return isPayload(body) && textAt(body, 'action_id') === ROUTE_ACTIONS.groups;
}

/** Finds the user groups whose handle holds what was typed. */
export async function suggestGroups(body: unknown, deps: HandlerDeps): Promise<PlainTextOption[]> {
  const payload = isPayload(body) ? body : {};
  const origin = originOf(payload, deps.identity);
  const wrong =
    whyNotOurs(payload, origin, deps.identity) ??
    whyNotAForm(payload, 'block_suggestion', ROUTE_FORMS);
  if (wrong) {
    const subject = ROUTE_ACTIONS.groups;
    await recordRefused({ kind: 'refused', origin, subject, ...wrong }, deps);
    return [];
  }
  const typed = (textAt(payload, 'value') ?? '').trim().toLowerCase().replace(/^@/, '');
  const groups = await deps.userGroups();
  return groups
    .filter(({ handle }) => handle.toLowerCase().includes(typed))
    .slice(0, LIMITS.selectOptions)
    .map(groupOption);
}
