import type {
  Checkboxes,
  ConversationsSelect,
  MultiConversationsSelect,
  MultiSelect,
  Option,
  RadioButtons,
  Select,
} from '@slack/types';
import type { WorkspaceView } from '../../workspace/workspace-port.ts';
import type { Choice } from '../state/element-host.ts';
import { channelTitle, displayName, type PageContext } from '../state/names.ts';

/** Elements whose choices are known when they are drawn. */
export type ChoiceElement = Checkboxes | RadioButtons | Exclude<Select | MultiSelect, External>;
type External = { type: 'external_select' | 'multi_external_select' };

/** Choices under one label. The label is empty if there are no groups. */
export interface ChoiceGroup {
  readonly label: string;
  readonly choices: readonly Choice[];
}

/** Returns the choices of an element, by group. */
export function choiceGroups(element: ChoiceElement, context: PageContext): readonly ChoiceGroup[] {
  switch (element.type) {
    case 'static_select':
    case 'multi_static_select':
      if (element.option_groups === undefined) return ungrouped(element.options ?? []);
      return element.option_groups.map((group) => ({
        label: group.label.text,
        choices: group.options.map(toChoice),
      }));
    case 'checkboxes':
    case 'radio_buttons':
      return ungrouped(element.options);
    case 'users_select':
    case 'multi_users_select':
      return [{ label: '', choices: people(context.workspace) }];
    case 'channels_select':
    case 'multi_channels_select':
      return [{ label: '', choices: channels(context, ['channel']) }];
    case 'conversations_select':
    case 'multi_conversations_select':
      return [{ label: '', choices: channels(context, kindsOf(element)) }];
  }
}

/** Returns the initial values of an element. */
export function initialValues(element: ChoiceElement): readonly string[] {
  switch (element.type) {
    case 'static_select':
    case 'radio_buttons':
      return one(element.initial_option?.value);
    case 'checkboxes':
    case 'multi_static_select':
      return (element.initial_options ?? []).map((option) => option.value ?? '');
    case 'users_select':
      return one(element.initial_user);
    case 'multi_users_select':
      return element.initial_users ?? [];
    case 'channels_select':
      return one(element.initial_channel);
    case 'multi_channels_select':
      return element.initial_channels ?? [];
    case 'conversations_select':
      return one(element.initial_conversation);
    case 'multi_conversations_select':
      return element.initial_conversations ?? [];
  }
}

function one(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

function ungrouped(options: readonly Option[]): readonly ChoiceGroup[] {
  return [{ label: '', choices: options.map(toChoice) }];
}

/** Converts a Block Kit option to a choice. */
export function toChoice(option: Option): Choice {
  const { type, text } = option.text;
  const choice = { text, value: option.value ?? '', isMarkup: type === 'mrkdwn' };
  return option.description === undefined
    ? choice
    : { ...choice, description: option.description.text };
}

function people(workspace: WorkspaceView): readonly Choice[] {
  return workspace.members.map((member) => ({
    text: displayName(member, member.id),
    value: member.id,
  }));
}

const KINDS = { public: 'channel', private: 'private', im: 'im', mpim: 'mpim' } as const;

/** https://docs.slack.dev/reference/block-kit/composition-objects/conversation-filter-object */
function kindsOf({ filter }: ConversationsSelect | MultiConversationsSelect): readonly string[] {
  const included = filter?.include ?? ['public', 'private', 'im', 'mpim'];
  return included.map((kind) => KINDS[kind]);
}

function channels(context: PageContext, kinds: readonly string[]): readonly Choice[] {
  return context.workspace.channels
    .filter((channel) => kinds.includes(channel.kind))
    .map((channel) => {
      const title = channelTitle(channel, context);
      return { text: channel.kind === 'im' ? title : `#${title}`, value: channel.id };
    });
}
