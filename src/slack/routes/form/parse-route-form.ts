import type { AdminRouteDraft } from '../../../domain/policy/admin-routes.ts';
import type { Approver, DecisionKind } from '../../../domain/policy/route.ts';
import type { RouteField, RouteProblem } from '../../../domain/policy/route-problem.ts';
import { parseDuration } from '../../../domain/text/duration.ts';
import { readFormNumber } from '../../forms/read/parse-number.ts';
import { listAt, objectAt, type Payload, textAt } from '../../transport/payload.ts';
import { FIELD, ROUTE_ACTIONS, ROUTE_BLOCKS } from '../route-ids.ts';
import { COUNTS } from './advanced-fields.ts';
import { OTHER_APPROVERS } from './route-form.ts';

/** The route from a form, or what is wrong with it. */
export type RouteParseResult =
  | { readonly ok: true; readonly draft: AdminRouteDraft }
  | { readonly ok: false; readonly problems: readonly RouteProblem[] };

/** Reads a submitted form. `name` is set when an existing route is changed. */
export function readRouteForm(values: Payload, name: string | undefined): RouteParseResult {
  const problems: RouteProblem[] = [];
  const readDuration = (field: RouteField, block: string): number | undefined => {
    const text = typed(values, block).replaceAll(/\s/g, '');
    if (text === '') return undefined;
    const ms = parseDuration(text);
    if (ms === undefined) {
      problems.push({
        field,
        message: `“${text}” is not a duration. Write it like 45m, 4h or 2d.`,
      });
    }
    return ms;
  };
  const channel = textAt(fieldOf(values, ROUTE_BLOCKS.channel, ROUTE_ACTIONS.channel), CHANNEL);
  const approvers = readApprovers(values, channel, problems);
  const deadlineMs = readDuration('deadline', ROUTE_BLOCKS.deadline);
  if (deadlineMs === undefined && problems.every(({ field }) => field !== 'deadline')) {
    problems.push({
      field: 'deadline',
      message: 'Enter after how long a call expires, such as 24h.',
    });
  }
  const remindAfterMs = readDuration('remindAfter', ROUTE_BLOCKS.remindAfter);
  const escalate = readEscalation(values, readDuration, problems);
  if (problems.length > 0) return { ok: false, problems };
  const counts = chosen(fieldOf(values, ROUTE_BLOCKS.counts));
  return {
    ok: true,
    draft: {
      name: name ?? typed(values, ROUTE_BLOCKS.name),
      approvers,
      quorum: readQuorum(typed(values, ROUTE_BLOCKS.quorum)),
      selfApproval: counts.includes(COUNTS.self),
      decisions: chosen(fieldOf(values, ROUTE_BLOCKS.decisions)).filter(isDecision),
      deadlineMs: deadlineMs ?? 0,
      ...(channel !== undefined && { channel }),
      ...(remindAfterMs !== undefined && { remindAfterMs }),
      ...(escalate && { escalate }),
      ...(counts.includes(COUNTS.reason) && { requiresReason: true }),
      ...(counts.includes(COUNTS.guests) && { allowsGuests: true }),
      tools: readTools(values),
    },
  };
}

/** Returns NaN for anything but a whole number; the desk rejects it. */
function readQuorum(text: string): number {
  const reading = readFormNumber(text, { integer: true });
  return reading.ok ? reading.value : Number.NaN;
}

const CHANNEL = 'selected_conversation';

function isDecision(value: string): value is DecisionKind {
  return ['approve', 'edit', 'reply', 'ignore'].includes(value);
}

function readApprovers(
  values: Payload,
  channel: string | undefined,
  problems: RouteProblem[],
): readonly Approver[] {
  const others = chosen(fieldOf(values, ROUTE_BLOCKS.others));
  const people = texts(fieldOf(values, ROUTE_BLOCKS.people), 'selected_users');
  const groups = chosen(fieldOf(values, ROUTE_BLOCKS.groups, ROUTE_ACTIONS.groups));
  const hasMembers = others.includes(OTHER_APPROVERS.members);
  if (hasMembers && channel === undefined) {
    const message = 'Choose the channel in which everybody decides, or deselect that option.';
    problems.push({ field: 'channel', message });
  }
  const approvers: readonly Approver[] = [
    ...people.map((id) => `user:${id}` as const),
    ...groups.map((id) => `usergroup:${id}` as const),
    ...(hasMembers && channel !== undefined ? [`channel:${channel}` as const] : []),
    ...(others.includes(OTHER_APPROVERS.requester) ? (['requester'] as const) : []),
  ];
  return [...new Set(approvers)];
}

function readEscalation(
  values: Payload,
  readDuration: (field: RouteField, block: string) => number | undefined,
  problems: RouteProblem[],
): AdminRouteDraft['escalate'] {
  const hasTime = typed(values, ROUTE_BLOCKS.escalateAfter) !== '';
  const afterMs = readDuration('escalateAfter', ROUTE_BLOCKS.escalateAfter);
  const [to] = chosen(fieldOf(values, ROUTE_BLOCKS.escalateTo));
  if (hasTime && to === undefined) {
    problems.push({ field: 'escalateTo', message: 'Choose the route to escalate to.' });
  }
  if (!hasTime && to !== undefined) {
    problems.push({
      field: 'escalateAfter',
      message: 'Enter after how long it escalates, such as 2h.',
    });
  }
  return afterMs === undefined || to === undefined ? undefined : { afterMs, to };
}

function readTools(values: Payload): readonly string[] {
  const patterns = typed(values, ROUTE_BLOCKS.patterns).split(/[\s,]+/);
  const all = [...chosen(fieldOf(values, ROUTE_BLOCKS.tools)), ...patterns];
  return [...new Set(all.filter((tool) => tool !== ''))];
}

function fieldOf(values: Payload, block: string, action: string = FIELD): Payload {
  return objectAt(objectAt(values, block), action);
}

function typed(values: Payload, block: string): string {
  return textAt(fieldOf(values, block), 'value')?.trim() ?? '';
}

/** Returns the values of the selected options, of a single or multiple choice. */
function chosen(field: Payload): readonly string[] {
  const one = textAt(objectAt(field, 'selected_option'), 'value');
  if (one !== undefined) return [one];
  return listAt(field, 'selected_options').map((option) => textAt(option, 'value') ?? '');
}

function texts(field: Payload, key: string): readonly string[] {
  const value = field[key];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
