/** The two steps of a route's form. Input on one is stored while the other is shown. */
import { randomBytes } from 'node:crypto';
import type { KnownBlock, ModalView } from '@slack/types';
import type { RouteList } from '../../../desk/control/routes.ts';
import type { Person } from '../../../domain/people/person.ts';
import { validateInputs, valuesOfInputs } from '../../forms/read/validate-inputs.ts';
import type { RouteFormState } from '../../inbound/interaction.ts';
import { initialFieldValues } from '../../routes/form/field-values.ts';
import {
  buildRouteFields,
  buildRouteForm,
  type RouteFormParts,
} from '../../routes/form/route-form.ts';
import type { RouteFormMetadata } from '../../routes/form/route-form-metadata.ts';
import { ROUTE_ACTIONS, ROUTE_BLOCKS } from '../../routes/route-ids.ts';
import { isPayload, objectAt, type Payload } from '../../transport/payload.ts';
import type { HandlerDeps } from '../handler.ts';
import { channelWarning } from './channel-warning.ts';

const DRAFT_MS = 24 * 3_600_000;

/** The fields and values of both steps. */
export interface FormState {
  readonly parts: RouteFormParts;
  /** The fields of both steps as they were shown. */
  readonly fields: readonly KnownBlock[];
  /** Values by block id. */
  readonly values: Payload;
}

/** Reads the values of both steps; undefined if the draft of the other step has expired. */
export async function readFormState(
  { book }: RouteList,
  { meta, values: sent }: RouteFormState,
  by: Person,
  deps: HandlerDeps,
): Promise<FormState | undefined> {
  const route = book.routes.find((each) => each.name === meta.name);
  const tools = deps.toolbox.list().map(({ name }) => name);
  const parts = { route, book, tools, groups: await deps.userGroups(), meta };
  const fields = buildRouteFields(parts);
  const draft = await readDraft(meta, by, deps);
  if (draft === undefined) return undefined;
  const own = valuesOfInputs(buildRouteForm(parts).blocks, sent);
  return { parts, fields, values: { ...initialFieldValues(fields), ...draft, ...own } };
}

/** Stores the input and builds the requested step. Invalid values are dropped. */
export async function buildOtherStep(
  { fields, parts, values }: FormState,
  step: { readonly isMore: boolean; readonly problem?: string },
  by: Person,
  deps: HandlerDeps,
): Promise<ModalView> {
  const invalid = new Set(validateInputs(fields, values, { isWhole: false }).map(({ id }) => id));
  const valid = Object.fromEntries(Object.entries(values).filter(([id]) => !invalid.has(id)));
  const { isMore: _before, ...rest } = parts.meta;
  const form = rest.form ?? randomBytes(12).toString('base64url');
  await deps.drafts.keep(draftId(form, by), JSON.stringify(valid), deps.clock.now() + DRAFT_MS);
  const meta: RouteFormMetadata = { ...rest, form, ...(step.isMore && { isMore: true }) };
  const chosen = objectAt(objectAt(valid, ROUTE_BLOCKS.channel), ROUTE_ACTIONS.channel);
  const channel = chosen.selected_conversation;
  const note = await channelWarning(typeof channel === 'string' ? channel : undefined, deps);
  return buildRouteForm({
    ...parts,
    meta,
    values: valid,
    problem: step.problem,
    channelNote: step.isMore ? undefined : note,
  });
}

async function readDraft(
  { form }: RouteFormMetadata,
  by: Person,
  { drafts }: HandlerDeps,
): Promise<Payload | undefined> {
  if (form === undefined) return {};
  const text = await drafts.read(draftId(form, by));
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isPayload(value) ? value : undefined;
}

/** Drafts are private to the person. */
function draftId(form: string, { team, user }: Person): string {
  return `route:${team}/${user}:${form}`;
}
