/** The form of one route. What it says is judged by the desk; here it is only drawn. */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import type { AdminRoute, AdminRoutes } from '../../domain/admin-routes.ts';
import { sayDuration } from '../../domain/duration.ts';
import { isGroup } from '../../domain/permit.ts';
import { type Approver, type DecisionKind, REQUESTER_ROUTE } from '../../domain/route.ts';
import { LIMITS } from '../limits.ts';
import { field, groupOption, option, plain, text } from './input-parts.ts';
import { FIELD, ROUTE_ACTIONS, ROUTE_BLOCKS, ROUTE_VIEWS } from './route-ids.ts';
import { encodeRouteMeta, type RouteMeta } from './route-meta.ts';
import type { UserGroup } from './user-groups.ts';

/** What a form is drawn from. */
export interface RouteFormParts {
  /** Undefined for a new one. */
  readonly route: AdminRoute | undefined;
  readonly book: AdminRoutes;
  /** Names of the tools that there are. */
  readonly tools: readonly string[];
  readonly groups: readonly UserGroup[];
  readonly meta: RouteMeta;
  /** What is to be said of the channel, in Slack's markup. */
  readonly channelNote?: string | undefined;
}

/** Builds the form, filled with what the route says. */
export function buildRouteForm(parts: RouteFormParts): ModalView {
  const { channelNote, meta, route } = parts;
  return {
    type: 'modal',
    callback_id: ROUTE_VIEWS.form,
    private_metadata: encodeRouteMeta(meta),
    title: plain(route ? 'Change a route' : 'Add a route'),
    submit: plain('Save'),
    close: plain('Cancel'),
    blocks: [
      ...(route ? [nameSection(route.name)] : [nameField()]),
      ...toolFields(parts),
      channelField(route?.channel),
      ...(channelNote === undefined ? [] : [noteBlock(channelNote)]),
      ...approverFields(parts),
      ...countFields(route),
      ...timeFields(parts),
    ],
  };
}

const NOTE = 'route.channel-note';

/** Puts a note below the channel of a form that stands open, in place of an earlier one. */
export function withChannelNote(
  blocks: readonly KnownBlock[],
  note: string | undefined,
): KnownBlock[] {
  return blocks
    .filter(({ block_id: id }) => id !== NOTE)
    .flatMap((block) =>
      block.block_id === ROUTE_BLOCKS.channel && note !== undefined
        ? [block, noteBlock(note)]
        : [block],
    );
}

function noteBlock(note: string): KnownBlock {
  return { type: 'context', block_id: NOTE, elements: [{ type: 'mrkdwn', text: note }] };
}

function nameSection(name: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: `*${name}*` }, expand: true };
}

function nameField(): InputBlock {
  const element = text({ max_length: 40, placeholder: 'payments' });
  return field(ROUTE_BLOCKS.name, 'Name', element, { hint: 'Letters, digits, “-” and “_”.' });
}

function toolFields({ route, tools }: RouteFormParts): readonly InputBlock[] {
  const known = tools.slice(0, LIMITS.selectOptions);
  const chosen = route?.tools ?? [];
  const options = known.map((tool) => option(tool, tool));
  const initial = options.filter(({ value }) => chosen.includes(value ?? ''));
  const patterns = chosen.filter((tool) => !known.includes(tool)).join(' ');
  return [
    ...(options.length === 0
      ? []
      : [
          field(
            ROUTE_BLOCKS.tools,
            'Tools that go by it',
            {
              type: 'multi_static_select',
              action_id: FIELD,
              placeholder: plain('Choose tools'),
              options,
              ...(initial.length > 0 && { initial_options: initial }),
            },
            { isOptional: true },
          ),
        ]),
    field(ROUTE_BLOCKS.patterns, 'Other tools and patterns', text({ initial: patterns }), {
      isOptional: true,
      hint: 'Separated by spaces; * stands for anything, as in pay_*. The pattern that says most of a tool wins.',
    }),
  ];
}

function channelField(channel: string | undefined): InputBlock {
  return {
    ...field(
      ROUTE_BLOCKS.channel,
      'Channel for its cards',
      {
        type: 'conversations_select',
        action_id: ROUTE_ACTIONS.channel,
        placeholder: plain('The thread itself'),
        filter: { include: ['public', 'private'], exclude_external_shared_channels: true },
        ...(channel !== undefined && { initial_conversation: channel }),
      },
      { isOptional: true, hint: 'Without one, a card stands in the thread of its call.' },
    ),
    dispatch_action: true,
  };
}

/** What else than a person or user group may be chosen. */
export const OTHERS = { requester: 'requester', members: 'members' } as const;

function approverFields({ groups, route }: RouteFormParts): readonly InputBlock[] {
  const approvers = route?.approvers ?? [];
  const people = approvers.filter((each) => each.startsWith('user:')).map(idOf);
  const chosen = approvers.filter((each) => each.startsWith('usergroup:')).map(idOf);
  const initialGroups = chosen.map((id) =>
    groupOption(groups.find((group) => group.id === id) ?? { id, handle: id }),
  );
  const others = [
    option('Whoever asked', OTHERS.requester),
    option('Everybody in the channel above', OTHERS.members),
  ];
  const isChosen = [
    approvers.includes('requester'),
    approvers.some((each) => each.startsWith('channel:')),
  ];
  const initialOthers = others.filter((_, i) => isChosen[i]);
  return [
    field(
      ROUTE_BLOCKS.people,
      'People who decide',
      {
        type: 'multi_users_select',
        action_id: FIELD,
        placeholder: plain('Choose people'),
        ...(people.length > 0 && { initial_users: people }),
      },
      { isOptional: true },
    ),
    field(
      ROUTE_BLOCKS.groups,
      'User groups who decide',
      {
        type: 'multi_external_select',
        action_id: ROUTE_ACTIONS.groups,
        placeholder: plain('Search user groups'),
        min_query_length: 0,
        ...(initialGroups.length > 0 && { initial_options: initialGroups }),
      },
      { isOptional: true },
    ),
    field(
      ROUTE_BLOCKS.others,
      'Others who decide',
      {
        type: 'checkboxes',
        action_id: FIELD,
        options: others,
        ...(initialOthers.length > 0 && { initial_options: initialOthers }),
      },
      { isOptional: true },
    ),
  ];
}

/** What may be said of how approvals count. */
export const COUNTS = { self: 'self', reason: 'reason', guests: 'guests' } as const;

const DECISIONS: readonly (readonly [decision: DecisionKind, label: string])[] = [
  ['approve', 'Approve'],
  ['edit', 'Edit'],
  ['reply', 'Reply'],
  ['ignore', 'Ignore'],
];

function countFields(route: AdminRoute | undefined): readonly InputBlock[] {
  const counts = [
    option('People’s approval of their own calls counts', COUNTS.self),
    option('An approval needs a reason', COUNTS.reason),
    option('Guests who are named may decide', COUNTS.guests),
  ];
  const isChosen = [route?.selfApproval, route?.requiresReason, route?.allowsGuests];
  const initial = counts.filter((_, i) => isChosen[i]);
  const decisions = DECISIONS.map(([decision, label]) => option(label, decision));
  const allowed = decisions.filter(
    (_, i) => !route || route.decisions.includes(DECISIONS[i]?.[0] ?? 'approve'),
  );
  return [
    field(ROUTE_BLOCKS.quorum, 'Approvals that are needed', {
      type: 'number_input',
      action_id: FIELD,
      is_decimal_allowed: false,
      min_value: '1',
      max_value: '50',
      initial_value: String(route?.quorum ?? 1),
    }),
    field(
      ROUTE_BLOCKS.counts,
      'How they count',
      {
        type: 'checkboxes',
        action_id: FIELD,
        options: counts,
        ...(initial.length > 0 && { initial_options: initial }),
      },
      { isOptional: true },
    ),
    field(ROUTE_BLOCKS.decisions, 'Buttons on the card', {
      type: 'checkboxes',
      action_id: FIELD,
      options: decisions,
      ...(allowed.length > 0 && { initial_options: allowed }),
    }),
  ];
}

function timeFields({ book, route }: RouteFormParts): readonly InputBlock[] {
  const span = (ms: number | undefined) => (ms === undefined ? '' : sayDuration(ms));
  const others = book.routes.map(({ name }) => name).filter((name) => name !== route?.name);
  const targets = [
    option('Whoever asked (requester)', REQUESTER_ROUTE.name),
    ...others.map((name) => option(name, name)),
  ];
  const to = targets.find(({ value }) => value === route?.escalate?.to);
  const spanHint = 'Like 45m, 4h or 2d.';
  return [
    field(
      ROUTE_BLOCKS.deadline,
      'Nobody decided: it expires after',
      text({ initial: span(route?.deadlineMs ?? REQUESTER_ROUTE.deadlineMs), max_length: 20 }),
      { hint: spanHint },
    ),
    field(
      ROUTE_BLOCKS.remindAfter,
      'Reminder after',
      text({ initial: span(route?.remindAfterMs), max_length: 20 }),
      { isOptional: true, hint: spanHint },
    ),
    field(
      ROUTE_BLOCKS.escalateAfter,
      'Escalates after',
      text({ initial: span(route?.escalate?.afterMs), max_length: 20 }),
      { isOptional: true, hint: spanHint },
    ),
    field(
      ROUTE_BLOCKS.escalateTo,
      'Escalates to the route',
      {
        type: 'static_select',
        action_id: FIELD,
        placeholder: plain('Choose a route'),
        options: targets,
        ...(to && { initial_option: to }),
      },
      { isOptional: true },
    ),
  ];
}

function idOf(approver: Approver): string {
  return isGroup(approver) || approver !== 'requester' ? (approver.split(':')[1] ?? '') : approver;
}
