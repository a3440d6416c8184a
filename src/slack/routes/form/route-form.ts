/**
 * Builds the form of one route, in two steps: who and where, then the rest. The desk validates it.
 */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { isGroup } from '../../../domain/people/person.ts';
import type { AdminRoute, AdminRoutes } from '../../../domain/policy/admin-routes.ts';
import type { Approver } from '../../../domain/policy/route.ts';
import type { UserGroup } from '../../people/user-groups.ts';
import { LIMITS } from '../../text/limits.ts';
import type { Payload } from '../../transport/payload.ts';
import { FIELD, ROUTE_ACTIONS, ROUTE_BLOCKS, ROUTE_VIEWS } from '../route-ids.ts';
import { quorumField, ruleFields, timeFields } from './advanced-fields.ts';
import { fillBlocks } from './field-values.ts';
import { groupOption, inputOption, labeledInput, plainText, textInput } from './form-elements.ts';
import { encodeRouteFormMetadata, type RouteFormMetadata } from './route-form-metadata.ts';

/** What a form is built from. */
export interface RouteFormParts {
  /** Undefined for a new route. */
  readonly route: AdminRoute | undefined;
  readonly book: AdminRoutes;
  /** Names of the known tools. */
  readonly tools: readonly string[];
  readonly groups: readonly UserGroup[];
  readonly meta: RouteFormMetadata;
  /** A warning about the channel, as Slack markup. */
  readonly channelNote?: string | undefined;
  /** The input so far, by block id. */
  readonly values?: Payload | undefined;
  /** What is wrong with the input of the other step. */
  readonly problem?: string | undefined;
}

/** Builds a step of the form, filled with the route or with the input so far. */
export function buildRouteForm(parts: RouteFormParts): ModalView {
  const { meta, problem, route, values = {} } = parts;
  return {
    type: 'modal',
    callback_id: ROUTE_VIEWS.form,
    private_metadata: encodeRouteFormMetadata(meta),
    title: plainText(route ? 'Change a route' : 'Add a route'),
    submit: plainText('Save'),
    close: plainText('Cancel'),
    blocks: [
      ...(problem === undefined ? [] : [problemBlock(problem)]),
      ...fillBlocks(meta.isMore ? moreBlocks(parts) : firstBlocks(parts), values),
      turnButton(meta.isMore ? 'Back' : 'More Options', meta.isMore ? 'back' : 'more'),
    ],
  };
}

export function buildRouteFields(parts: RouteFormParts): readonly KnownBlock[] {
  return [...firstBlocks(parts), ...moreBlocks(parts)];
}

function firstBlocks(parts: RouteFormParts): readonly KnownBlock[] {
  const { channelNote, route } = parts;
  return [
    ...(route ? [nameSection(route.name)] : [nameField()]),
    ...toolFields(parts),
    ...approverFields(parts),
    quorumField(route),
    channelField(route?.channel),
    ...(channelNote === undefined ? [] : [noticeBlock(channelNote)]),
  ];
}

function moreBlocks({ book, route }: RouteFormParts): readonly KnownBlock[] {
  return [...timeFields(route, book), ...ruleFields(route)];
}

function turnButton(label: string, action: 'more' | 'back'): KnownBlock {
  return {
    type: 'actions',
    block_id: ROUTE_ACTIONS[action],
    elements: [{ type: 'button', action_id: ROUTE_ACTIONS[action], text: plainText(label) }],
  };
}

function problemBlock(problem: string): KnownBlock {
  return { type: 'section', text: plainText(problem), expand: true };
}

const NOTE = 'route.channel-note';

/** Shows or replaces the warning below the channel of an open form. */
export function withChannelWarning(
  blocks: readonly KnownBlock[],
  note: string | undefined,
): KnownBlock[] {
  return blocks
    .filter(({ block_id: id }) => id !== NOTE)
    .flatMap((block) =>
      block.block_id === ROUTE_BLOCKS.channel && note !== undefined
        ? [block, noticeBlock(note)]
        : [block],
    );
}

function noticeBlock(note: string): KnownBlock {
  return { type: 'context', block_id: NOTE, elements: [{ type: 'mrkdwn', text: note }] };
}

function nameSection(name: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: `*${name}*` }, expand: true };
}

function nameField(): InputBlock {
  const element = textInput({ max_length: 40, placeholder: 'payments' });
  return labeledInput(ROUTE_BLOCKS.name, 'Name', element, {
    hint: 'Letters, digits, “-” and “_”.',
  });
}

function toolFields({ route, tools }: RouteFormParts): readonly InputBlock[] {
  const known = tools.slice(0, LIMITS.selectOptions);
  const chosen = route?.tools ?? [];
  const options = known.map((tool) => inputOption(tool, tool));
  const initial = options.filter(({ value }) => chosen.includes(value ?? ''));
  const patterns = chosen.filter((tool) => !known.includes(tool)).join(' ');
  return [
    ...(options.length === 0
      ? []
      : [
          labeledInput(
            ROUTE_BLOCKS.tools,
            'Tools',
            {
              type: 'multi_static_select',
              action_id: FIELD,
              placeholder: plainText('Choose tools'),
              options,
              ...(initial.length > 0 && { initial_options: initial }),
            },
            { isOptional: true },
          ),
        ]),
    labeledInput(ROUTE_BLOCKS.patterns, 'Patterns', textInput({ initial: patterns }), {
      isOptional: true,
      hint: 'Separate patterns with spaces; * matches anything, as in pay_*. The most specific pattern wins.',
    }),
  ];
}

function channelField(channel: string | undefined): InputBlock {
  return {
    ...labeledInput(
      ROUTE_BLOCKS.channel,
      'Channel',
      {
        type: 'conversations_select',
        action_id: ROUTE_ACTIONS.channel,
        placeholder: plainText('The thread itself'),
        filter: { include: ['public', 'private'], exclude_external_shared_channels: true },
        ...(channel !== undefined && { initial_conversation: channel }),
      },
      { isOptional: true, hint: 'If empty, cards are posted in the thread of their call.' },
    ),
    dispatch_action: true,
  };
}

/** Approvers other than people and user groups. */
export const OTHER_APPROVERS = { requester: 'requester', members: 'members' } as const;

function approverFields({ groups, route }: RouteFormParts): readonly InputBlock[] {
  const approvers = route?.approvers ?? [];
  const people = approvers.filter((each) => each.startsWith('user:')).map(idOf);
  const chosen = approvers.filter((each) => each.startsWith('usergroup:')).map(idOf);
  const initialGroups = chosen.map((id) =>
    groupOption(groups.find((group) => group.id === id) ?? { id, handle: id }),
  );
  const others = [
    inputOption('The person who asked', OTHER_APPROVERS.requester),
    inputOption('Everybody in the channel', OTHER_APPROVERS.members),
  ];
  const isChosen = [
    approvers.includes('requester'),
    approvers.some((each) => each.startsWith('channel:')),
  ];
  const initialOthers = others.filter((_, i) => isChosen[i]);
  return [
    labeledInput(
      ROUTE_BLOCKS.people,
      'Approvers',
      {
        type: 'multi_users_select',
        action_id: FIELD,
        placeholder: plainText('Choose people'),
        ...(people.length > 0 && { initial_users: people }),
      },
      { isOptional: true },
    ),
    labeledInput(
      ROUTE_BLOCKS.groups,
      'Approvers: user groups',
      {
        type: 'multi_external_select',
        action_id: ROUTE_ACTIONS.groups,
        placeholder: plainText('Search user groups'),
        min_query_length: 0,
        ...(initialGroups.length > 0 && { initial_options: initialGroups }),
      },
      { isOptional: true },
    ),
    labeledInput(
      ROUTE_BLOCKS.others,
      'Approvers: others',
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

function idOf(approver: Approver): string {
  return isGroup(approver) || approver !== 'requester' ? (approver.split(':')[1] ?? '') : approver;
}
