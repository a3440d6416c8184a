/** Handles the submitted form of a route. */
import type { ModalView } from '@slack/types';
import type { RouteList, SetRouteOutcome } from '../../../desk/control/routes.ts';
import type { RouteField, RouteProblem } from '../../../domain/policy/route-problem.ts';
import { buildMessageView } from '../../forms/draw/small-views.ts';
import { validateInputs } from '../../forms/read/validate-inputs.ts';
import type { RouteSubmission } from '../../inbound/interaction.ts';
import { readRouteForm } from '../../routes/form/parse-route-form.ts';
import { ROUTE_ACTIONS, ROUTE_BLOCKS } from '../../routes/route-ids.ts';
import { describeRouteConflict } from '../../routes/route-sentences.ts';
import { listAt, objectAt, type Payload } from '../../transport/payload.ts';
import type { FormAnswer, Handler, HandlerDeps } from '../handler.ts';
import { channelWarning } from './channel-warning.ts';
import { buildOtherStep, type FormState, readFormState } from './form-steps.ts';
import { redrawRouteList } from './route-clicks.ts';

/** Saves a submitted form. Errors appear on their fields, and the form stays open with its input. */
export const submitRoute: Handler<RouteSubmission> = async (form, ack, deps) => {
  const { meta, origin } = form;
  const found = await deps.routes.list(origin.person);
  if (found.kind !== 'routes') return ack(messageResponse(found.sentence));
  const state = await readFormState(found, form, origin.person, deps);
  if (state === undefined) return ack(messageResponse(NOT_KEPT));
  const { fields, values } = state;
  const answerProblems = async (problems: readonly RouteProblem[]) =>
    ack(await showProblems(problems, form, state, deps));
  const errors = await checkValues(fields, values, found, deps);
  if (errors !== undefined) return ack(await showErrors(errors, form, state, deps));
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
      return await showSaved(form, draft.channel, outcome, deps);
  }
};

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
  { meta: { from, name }, origin: { person }, previousViewId: viewId }: RouteSubmission,
  channel: string | undefined,
  outcome: SetRouteOutcome,
  deps: HandlerDeps,
): Promise<void> {
  await deps.home.refresh(person);
  if (from === 'home') return;
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
  form: RouteSubmission,
  state: FormState,
  deps: HandlerDeps,
): Promise<FormAnswer> {
  const known = inputsOf(state.fields);
  const errors: Record<string, string> = {};
  for (const { field, message } of problems) {
    const block = BLOCK_OF[field].find((id) => known.includes(id)) ?? form.inputs[0] ?? '';
    errors[block] = errors[block] === undefined ? message : `${errors[block]} ${message}`;
  }
  return await showErrors(errors, form, state, deps);
}

/** Slack only shows errors for inputs in view. Otherwise switch to the step with the error. */
async function showErrors(
  errors: Errors,
  { inputs, origin }: RouteSubmission,
  state: FormState,
  deps: HandlerDeps,
): Promise<FormAnswer> {
  const here = Object.entries(errors).filter(([id]) => inputs.includes(id));
  if (here.length > 0) return { response_action: 'errors', errors: Object.fromEntries(here) };
  const problem = Object.entries(errors)
    .map(([id, message]) => `${labelOf(id, state.fields)}: ${message}`)
    .join('\n');
  const isMore = state.parts.meta.isMore !== true;
  const other = await buildOtherStep(state, { isMore, problem }, origin.person, deps);
  return { response_action: 'update', view: other };
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
