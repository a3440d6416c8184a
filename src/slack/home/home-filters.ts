/** The top of Home: the counts and the filters. */
import type { KnownBlock, PlainTextOption, StaticSelect } from '@slack/types';
import { LIMITS } from '../text/limits.ts';
import { ACTIONS } from '../transport/ids.ts';
import { type HomeState, type HomeViewName, MAX_FILTER_LENGTH } from './home-state.ts';

/** How many calls there are; of more than were counted it is known that there are more. */
export interface BoundedCount {
  readonly count: number;
  readonly hasMore: boolean;
}

/** How much there is, whatever is shown of it. */
export interface HomeCounts {
  readonly forYou: BoundedCount;
  readonly asked: BoundedCount;
}

/** The value of the choice that filters nothing. */
export const ALL_TOOLS = '*';

/** Says a number of calls. */
function describeCounted({ count, hasMore }: BoundedCount): string {
  return hasMore ? `${count}+` : String(count);
}

/** Builds the line of counts. */
export function buildCounts({ forYou, asked }: HomeCounts): KnownBlock {
  const text = `*${describeCounted(forYou)}* waiting for you · *${describeCounted(asked)}* of your requests open`;
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

/** Builds the choices of what is shown; an id that follows them has Slack draw them anew. */
export function buildFilters(
  { view, tool }: HomeState,
  { counts, tools, isAdmin }: FilterFacts,
): KnownBlock {
  const views: readonly (readonly [HomeViewName, string])[] = [
    ['all', 'All of mine'],
    ['for-you', `For me (${describeCounted(counts.forYou)})`],
    ['asked', `I asked (${describeCounted(counts.asked)})`],
    ['team', 'Team'],
    ['decided', 'I decided'],
    ...(isAdmin ? [['workspace', 'Workspace (admins)'] as const] : []),
  ];
  const shown = views.map(([value, label]) => option(label, value));
  const ofTool = toolOptions(tools, tool);
  return {
    type: 'actions',
    block_id: `filters:${view}:${tool ?? ALL_TOOLS}`,
    elements: [
      select(ACTIONS.homeShow, 'Show', shown, view),
      ...(view === 'workspace' || ofTool.length < 2
        ? []
        : [select(ACTIONS.homeTool, 'Tool', ofTool, tool ?? ALL_TOOLS)]),
    ],
  };
}

/** What the choices are made of. */
export interface FilterFacts {
  readonly counts: HomeCounts;
  /** Names of tools whose calls there are. */
  readonly tools: readonly string[];
  readonly isAdmin: boolean;
}

/** Builds the field that searches what a person has decided. */
export function buildSearch({ search }: HomeState): KnownBlock[] {
  return [
    {
      type: 'input',
      block_id: `search:${search ?? ''}`,
      dispatch_action: true,
      optional: true,
      label: { type: 'plain_text', text: 'Search what you decided', emoji: false },
      element: {
        type: 'plain_text_input',
        action_id: ACTIONS.homeSearch,
        max_length: MAX_FILTER_LENGTH,
        placeholder: { type: 'plain_text', text: 'Name, tool or person, then Enter', emoji: false },
        dispatch_action_config: { trigger_actions_on: ['on_enter_pressed'] },
        ...(search !== undefined && { initial_value: search }),
      },
    },
    ...(search === undefined ? [] : [clearButton()]),
  ];
}

function clearButton(): KnownBlock {
  return {
    type: 'actions',
    block_id: 'search.clear',
    elements: [
      {
        type: 'button',
        action_id: ACTIONS.homeClear,
        text: { type: 'plain_text', text: 'Clear Search', emoji: false },
      },
    ],
  };
}

function toolOptions(tools: readonly string[], chosen: string | undefined): PlainTextOption[] {
  const all = [...new Set([...(chosen === undefined ? [] : [chosen]), ...tools])];
  const names = all.filter((name) => name !== ALL_TOOLS && name.length <= MAX_FILTER_LENGTH).sort();
  const most = names.slice(0, LIMITS.selectOptions - 1);
  return [option('All tools', ALL_TOOLS), ...most.map((name) => option(name, name))];
}

function select(
  actionId: string,
  label: string,
  options: PlainTextOption[],
  chosen: string,
): StaticSelect {
  const initial = options.find(({ value }) => value === chosen);
  return {
    type: 'static_select',
    action_id: actionId,
    placeholder: { type: 'plain_text', text: label, emoji: false },
    options,
    ...(initial && { initial_option: initial }),
  };
}

function option(label: string, value: string): PlainTextOption {
  return { text: { type: 'plain_text', text: label, emoji: false }, value };
}
