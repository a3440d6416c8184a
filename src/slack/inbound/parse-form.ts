/** Parses and validates submitted forms, and Slack’s requests for the options of a select in a form. */
import { parseCardToken } from '../../domain/calls/digest.ts';
import { parseRouteFormMetadata } from '../routes/form/route-form-metadata.ts';
import { ROUTE_ACTIONS, ROUTE_VIEWS } from '../routes/route-ids.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { VIEWS } from '../transport/ids.ts';
import { objectAt, type Payload, textAt } from '../transport/payload.ts';
import type {
  ChoicesQuery,
  GroupsQuery,
  RejectedInteraction,
  RouteSubmission,
  Submission,
} from './interaction.ts';
import { inputsOf, originOf, valuesOf } from './payload-parts.ts';
import {
  explainForeignPayload,
  explainInvalidForm,
  readCallMetadata,
  unknownElement,
} from './validate-payload.ts';

const CALL_FORMS: ReadonlySet<string> = new Set([VIEWS.edit, VIEWS.reply, VIEWS.reason]);
const ROUTE_FORMS: ReadonlySet<string> = new Set([ROUTE_VIEWS.form]);

type FormPayload = 'view_submission' | 'block_suggestion';

/** Parses and validates a submitted form. */
export function parseForm(
  payload: Payload,
  identity: SlackIdentity,
): Submission | RouteSubmission | RejectedInteraction {
  const view = objectAt(payload, 'view');
  const isRoute = view.callback_id === ROUTE_VIEWS.form;
  const parsed = isRoute
    ? parseRouteSubmission(payload, identity)
    : parseCallForm(payload, identity, 'view_submission');
  return parsed.kind === 'refused' ? { ...parsed, inputs: inputsOf(view) } : parsed;
}

function parseCallForm(
  payload: Payload,
  identity: SlackIdentity,
  type: FormPayload,
): Submission | RejectedInteraction {
  const view = objectAt(payload, 'view');
  const id = textAt(view, 'callback_id') ?? '';
  const origin = originOf(payload, identity);
  const { token: tokenText = '', metadata = '' } = readCallMetadata(view) ?? {};
  const token = parseCardToken(tokenText);
  const wrong =
    explainForeignPayload(payload, origin, identity) ??
    explainInvalidForm(payload, type, CALL_FORMS);
  if (wrong !== undefined || token === undefined) {
    const problem = wrong ?? unknownElement('no card token');
    return { kind: 'refused', origin, subject: id || 'form', ...problem };
  }
  return { kind: 'submission', origin, id, token, metadata, values: valuesOf(view) };
}

function parseRouteSubmission(
  payload: Payload,
  identity: SlackIdentity,
): RouteSubmission | RejectedInteraction {
  const view = objectAt(payload, 'view');
  const origin = originOf(payload, identity);
  const meta = parseRouteFormMetadata(textAt(view, 'private_metadata') ?? '');
  const wrong =
    explainForeignPayload(payload, origin, identity) ??
    explainInvalidForm(payload, 'view_submission', ROUTE_FORMS);
  if (wrong !== undefined || meta === undefined) {
    const problem = wrong ?? unknownElement('no route');
    return { kind: 'refused', origin, subject: ROUTE_VIEWS.form, ...problem };
  }
  return {
    kind: 'route-submission',
    origin,
    id: ROUTE_VIEWS.form,
    meta,
    values: valuesOf(view),
    inputs: inputsOf(view),
    previousViewId: textAt(view, 'previous_view_id'),
  };
}

/** Parses a request for options; refuses it for the same reasons as a submission of the form. */
export function parseOptionsQuery(
  payload: Payload,
  identity: SlackIdentity,
): ChoicesQuery | GroupsQuery | RejectedInteraction {
  const typed = textAt(payload, 'value') ?? '';
  if (payload.action_id === ROUTE_ACTIONS.groups) {
    const origin = originOf(payload, identity);
    const id = ROUTE_ACTIONS.groups;
    const wrong =
      explainForeignPayload(payload, origin, identity) ??
      explainInvalidForm(payload, 'block_suggestion', ROUTE_FORMS);
    return wrong
      ? { kind: 'refused', origin, subject: id, ...wrong }
      : { kind: 'groups-query', origin, id, typed };
  }
  const parsed = parseCallForm(payload, identity, 'block_suggestion');
  if (parsed.kind === 'refused') return parsed;
  return { ...parsed, kind: 'choices-query', blockId: textAt(payload, 'block_id') ?? '', typed };
}
