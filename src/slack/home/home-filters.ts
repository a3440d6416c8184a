import type { KnownBlock, PlainTextOption, StaticSelect } from '@slack/types';
import { LIMITS } from '../text/limits.ts';
import { ACTIONS } from '../transport/ids.ts';
import { type HomeState, type HomeViewName, MAX_FILTER_LENGTH } from './home-state.ts';

/** A number of calls. `hasMore` if there are more than were counted. */
export interface BoundedCount {
  readonly count: number;
  readonly hasMore: boolean;
}

/** The counts of all lists, whichever are shown. */
export interface HomeCounts {
  readonly forYou: BoundedCount;
  readonly asked: BoundedCount;
}

/** The option value for no filter. */
export const ALL_TOOLS = '*';

function describeCounted({ count, hasMore }: BoundedCount): string {
  return hasMore ? `${count}+` : String(count);
}

export function buildCounts({ forYou, asked }: HomeCounts): KnownBlock {
  const requests = describeCounted(asked) === '1' ? 'request' : 'requests';
  const text = `*${describeCounted(forYou)}* waiting for you · *${describeCounted(asked)}* open ${requests} from you`;
  return { type: 'section', text: { type: 'mrkdwn', text } };
}

/**
 * Builds the filters. Their block id contains the selection, so that Slack redraws them when it
 * changes.
 */
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

/** The facts that the filters depend on. */
export interface FilterFacts {
  readonly counts: HomeCounts;
  /** Names of the tools of the calls. */
  readonly tools: readonly string[];
  readonly isAdmin: boolean;
}

/** Builds the search field for the person's own decisions. */
export function buildSearch({ search }: HomeState): KnownBlock[] {
  return [
    {
      type: 'input',
      block_id: `search:${search ?? ''}`,
      dispatch_action: true,
      optional: true,
      label: { type: 'plain_text', text: 'Search your decisions', emoji: false },
      element: {
        type: 'plain_text_input',
        action_id: ACTIONS.homeSearch,
        max_length: MAX_FILTER_LENGTH,
        placeholder: {
          type: 'plain_text',
          text: 'Name, tool or person, then press Enter',
          emoji: false,
        },
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
