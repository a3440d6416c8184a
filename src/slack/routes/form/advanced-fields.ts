/** The number of approvals, and the rarely changed fields of a route's form. */
import type { InputBlock } from '@slack/types';
import type { AdminRoute, AdminRoutes } from '../../../domain/policy/admin-routes.ts';
import { type DecisionKind, REQUESTER_ROUTE } from '../../../domain/policy/route.ts';
import { formatDuration } from '../../../domain/text/duration.ts';
import { FIELD, ROUTE_BLOCKS } from '../route-ids.ts';
import { inputOption, labeledInput, plainText, textInput } from './form-elements.ts';

/** Builds the field for the number of approvals. */
export function quorumField(route: AdminRoute | undefined): InputBlock {
  return labeledInput(ROUTE_BLOCKS.quorum, 'Approvals needed', {
    type: 'number_input',
    action_id: FIELD,
    is_decimal_allowed: false,
    min_value: '1',
    max_value: '50',
    initial_value: String(route?.quorum ?? 1),
  });
}

/** Values of the checkboxes for how approvals count. */
export const COUNTS = { self: 'self', reason: 'reason', guests: 'guests' } as const;

const DECISIONS: readonly (readonly [decision: DecisionKind, label: string])[] = [
  ['approve', 'Approve'],
  ['edit', 'Edit'],
  ['reply', 'Reply'],
  ['ignore', 'Ignore'],
];

/** Builds the fields for the rules of deciding. */
export function ruleFields(route: AdminRoute | undefined): readonly InputBlock[] {
  const counts = [
    inputOption('Requesters may approve their own calls', COUNTS.self),
    inputOption('An approval needs a reason', COUNTS.reason),
    inputOption('Guests listed as approvers may decide', COUNTS.guests),
  ];
  const isChosen = [route?.selfApproval, route?.requiresReason, route?.allowsGuests];
  const initial = counts.filter((_, i) => isChosen[i]);
  const decisions = DECISIONS.map(([decision, label]) => inputOption(label, decision));
  const allowed = decisions.filter(
    (_, i) => !route || route.decisions.includes(DECISIONS[i]?.[0] ?? 'approve'),
  );
  return [
    labeledInput(
      ROUTE_BLOCKS.counts,
      'Rules',
      {
        type: 'checkboxes',
        action_id: FIELD,
        options: counts,
        ...(initial.length > 0 && { initial_options: initial }),
      },
      { isOptional: true },
    ),
    labeledInput(ROUTE_BLOCKS.decisions, 'Buttons on the card', {
      type: 'checkboxes',
      action_id: FIELD,
      options: decisions,
      ...(allowed.length > 0 && { initial_options: allowed }),
    }),
  ];
}

/** Builds the fields for calls that nobody decides in time. */
export function timeFields(
  route: AdminRoute | undefined,
  book: AdminRoutes,
): readonly InputBlock[] {
  const durationText = (ms: number | undefined) => (ms === undefined ? '' : formatDuration(ms));
  const others = book.routes.map(({ name }) => name).filter((name) => name !== route?.name);
  const targets = [
    inputOption('The person who asked (requester)', REQUESTER_ROUTE.name),
    ...others.map((name) => inputOption(name, name)),
  ];
  const to = targets.find(({ value }) => value === route?.escalate?.to);
  const durationHint = 'For example 45m, 4h or 2d.';
  return [
    labeledInput(
      ROUTE_BLOCKS.deadline,
      'Expires after',
      textInput({
        initial: durationText(route?.deadlineMs ?? REQUESTER_ROUTE.deadlineMs),
        max_length: 20,
      }),
      { hint: durationHint },
    ),
    labeledInput(
      ROUTE_BLOCKS.remindAfter,
      'Reminder after',
      textInput({ initial: durationText(route?.remindAfterMs), max_length: 20 }),
      { isOptional: true, hint: durationHint },
    ),
    labeledInput(
      ROUTE_BLOCKS.escalateAfter,
      'Escalate after',
      textInput({ initial: durationText(route?.escalate?.afterMs), max_length: 20 }),
      { isOptional: true, hint: durationHint },
    ),
    labeledInput(
      ROUTE_BLOCKS.escalateTo,
      'Escalate to',
      {
        type: 'static_select',
        action_id: FIELD,
        placeholder: plainText('Choose a route'),
        options: targets,
        ...(to && { initial_option: to }),
      },
      { isOptional: true },
    ),
  ];
}
