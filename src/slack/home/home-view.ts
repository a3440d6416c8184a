import type { Button, HomeView, KnownBlock } from '@slack/types';
import { describePause } from '../../desk/control/pause-messages.ts';
import { DECIDED_DAYS, type DecidedList } from '../../desk/decisions/lists/list-decided.ts';
import type { RequestedCalls } from '../../desk/decisions/lists/list-requested.ts';
import type { TeamList } from '../../desk/decisions/lists/list-team.ts';
import type { WaitingCalls } from '../../desk/decisions/lists/list-waiting.ts';
import type { WorkspaceOverview } from '../../desk/decisions/lists/workspace-overview.ts';
import type { Call } from '../../domain/calls/call.ts';
import type { CallListEntry } from '../../domain/cards/call-list-entry.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { formatCallList } from '../cards/call-list-entry.ts';
import { buildNotice } from '../outbound/build-messages.ts';
import { LIMITS } from '../text/limits.ts';
import { dateText } from '../text/mrkdwn.ts';
import { writeSentence } from '../text/write-sentence.ts';
import { ACTIONS, VIEWS } from '../transport/ids.ts';
import { buildCounts, buildFilters, buildSearch, type HomeCounts } from './home-filters.ts';
import { encodeHomeState, type HomeList, type HomeState } from './home-state.ts';
import { buildOverviewSection } from './overview-section.ts';
import { buildWaitingEntry } from './waiting-entry.ts';

/** The lists shown on Home. */
export interface HomeLists {
  readonly waiting?:
    | { readonly calls: readonly Call[]; readonly next?: string | undefined }
    | undefined;
  readonly asked?:
    | (Pick<RequestedCalls, 'open' | 'over'> & { readonly next?: string | undefined })
    | undefined;
  readonly team?: TeamList | undefined;
  readonly decided?: DecidedList | undefined;
}

/** The content of a person's Home. */
export interface HomeContent {
  /** What waits for the person, whichever lists are shown. */
  readonly waiting: WaitingCalls;
  readonly lists: HomeLists;
  /** The line of each call, by its id. */
  readonly lines: ReadonlyMap<string, CallListEntry>;
  readonly counts: HomeCounts;
  /** Names of the tools of these calls. */
  readonly tools: readonly string[];
  readonly state: HomeState;
  readonly isAdmin: boolean;
  readonly overview?: WorkspaceOverview | undefined;
  readonly pause?: Pause | undefined;
  /** The result of the person's last action here. */
  readonly note?: string | undefined;
  /** The admins' part at the bottom, cut to the blocks that fit. */
  readonly adminPart: readonly KnownBlock[];
  /** When the content was loaded. */
  readonly at: number;
}

/**
 * Builds a person's Home. Only the first block differs between readings of the same content.
 * `isLean` leaves out the admins' part.
 */
export function buildHomeView(
  content: HomeContent,
  { isLean = false }: { readonly isLean?: boolean } = {},
): HomeView {
  const { counts, isAdmin, note, pause, state, tools } = content;
  const blocks: KnownBlock[] = [
    buildTop(content.at),
    ...(note === undefined ? [] : buildNotice(note).blocks),
    ...(pause === undefined
      ? []
      : [section(`:double_vertical_bar: ${writeSentence(describePause(pause))}`)]),
    buildCounts(counts),
    buildFilters(state, { counts, tools, isAdmin }),
    ...buildLists(content),
  ];
  const hasAdminPart = state.view === 'all' || state.view === 'workspace';
  return toView(
    [...blocks, ...(hasAdminPart ? fitAdminPart(content, isLean, blocks.length) : [])],
    state,
  );
}

function buildLists(content: HomeContent): KnownBlock[] {
  const { lists, overview, state, waiting } = content;
  const isWaitingShown = state.view === 'all' || state.view === 'for-you';
  return [
    ...(isWaitingShown
      ? [
          header('Waiting for you'),
          ...(waiting.kind === 'nobody'
            ? [section(writeSentence(waiting.why))]
            : buildWaiting(waiting, content)),
        ]
      : []),
    ...(lists.asked ? [header('Your requests'), ...buildAsked(lists.asked, content)] : []),
    ...(lists.team ? [header('Team'), ...buildTeam(lists.team, content)] : []),
    ...(lists.decided ? [header('Your decisions'), ...buildDecided(lists.decided, content)] : []),
    ...(overview ? buildOverviewSection(overview, content.lines, content.pause) : []),
  ];
}

/** Builds the Home for when nothing could be loaded. */
export function buildHomeErrorView(state: HomeState, at: number): HomeView {
  const words =
    'I can’t load your approvals right now: something broke on my side. Please press Refresh in a moment.';
  return toView([buildTop(at), section(`:warning: ${words}`)], state);
}

function toView(blocks: KnownBlock[], state: HomeState): HomeView {
  const metadata = encodeHomeState(state);
  return { type: 'home', callback_id: VIEWS.home, private_metadata: metadata, blocks };
}

function buildTop(at: number): KnownBlock {
  return {
    type: 'section',
    text: { type: 'mrkdwn', text: `As of ${dateText(at, '{date_short_pretty} at {time_secs}')}` },
    accessory: button(ACTIONS.homeRefresh, 'Refresh'),
  };
}

function buildWaiting(
  { warning }: Extract<WaitingCalls, { kind: 'page' }>,
  content: HomeContent,
): KnownBlock[] {
  const { calls, next } = content.lists.waiting ?? { calls: [] };
  const { state } = content;
  const number = state.waiting.length + 1;
  const warnings = warning === undefined ? [] : [section(`:warning: ${writeSentence(warning)}`)];
  if (calls.length === 0 && number === 1 && next === undefined) {
    // Do not claim an empty list while the approvers are uncertain.
    return warning === undefined ? [section(emptyListText(state, EMPTY_WAITING_TEXT))] : warnings;
  }
  return [
    ...(number === 1 && next === undefined
      ? []
      : [context(describePage(number, next !== undefined))]),
    ...warnings,
    ...linesOf(calls, content).flatMap(buildWaitingEntry),
    ...buildTurns('waiting', { number, next, back: 'Older', on: 'Newer' }),
  ];
}

/** Shown if nothing waits for a person. */
export const EMPTY_WAITING_TEXT =
  'No approvals waiting. Calls that need your decision appear here.';

/** An empty list may be due to the filter. */
function emptyListText({ tool }: HomeState, otherwise: string): string {
  return tool === undefined
    ? otherwise
    : 'Nothing here for this tool. Choose *All tools* to see the rest.';
}

function describePage(page: number, hasMore: boolean): string {
  return `Page ${page}, oldest first${hasMore ? '; there are more' : ''}`;
}

function linesOf(calls: readonly Call[], { lines }: HomeContent): readonly CallListEntry[] {
  return calls.flatMap(({ id }) => lines.get(id) ?? []);
}

function buildAsked(
  { open, over, next }: NonNullable<HomeLists['asked']>,
  content: HomeContent,
): KnownBlock[] {
  const { state } = content;
  const number = state.asked.length + 1;
  const ended = state.view === 'asked' ? over : [];
  return [
    ...(open.length === 0
      ? [section(emptyListText(state, NOTHING_ASKED))]
      : [formatCallList(linesOf(open, content), 'mentioned')]),
    ...buildTurns('asked', { number, next, back: 'Newer', on: 'Older' }),
    ...(ended.length === 0
      ? []
      : [context('*Recently finished*'), formatCallList(linesOf(ended, content), 'mentioned')]),
  ];
}

const NOTHING_ASKED =
  'No open requests. Calls the agent makes for you appear here, with their status.';

function buildTeam(team: TeamList, content: HomeContent): KnownBlock[] {
  if (team.kind === 'nobody') return [section(writeSentence(team.why))];
  const number = content.state.team.length + 1;
  const none = 'Nothing is waiting in the channels that you can open.';
  return [
    ...(team.calls.length === 0
      ? [section(emptyListText(content.state, none))]
      : [formatCallList(linesOf(team.calls, content), 'mentioned')]),
    ...buildTurns('team', { number, next: team.next, back: 'Older', on: 'Newer' }),
  ];
}

function buildDecided(decided: DecidedList, content: HomeContent): KnownBlock[] {
  const { state } = content;
  const number = state.decided.length + 1;
  const none =
    state.search === undefined
      ? `No decisions in the last ${DECIDED_DAYS} days.`
      : 'No decisions match this search.';
  return [
    ...buildSearch(state),
    ...(decided.calls.length === 0
      ? [section(emptyListText(state, none))]
      : [formatCallList(linesOf(decided.calls, content), 'mentioned')]),
    ...buildTurns('decided', { number, next: decided.next, back: 'Newer', on: 'Older' }),
    ...(decided.calls.length === 0
      ? []
      : [context(`Your decisions from the last ${DECIDED_DAYS} days, newest first.`)]),
  ];
}

function buildTurns(
  list: HomeList,
  turns: {
    readonly number: number;
    readonly next: string | undefined;
    readonly back: string;
    readonly on: string;
  },
): KnownBlock[] {
  const { number, next, back, on } = turns;
  const elements = [
    ...(number === 1 ? [] : [button(ACTIONS.homeBack, back, list)]),
    ...(next === undefined ? [] : [button(ACTIONS.homeOn, on, `${list} ${next}`)]),
  ];
  return elements.length === 0 ? [] : [{ type: 'actions', block_id: `pages:${list}`, elements }];
}

function fitAdminPart({ adminPart }: HomeContent, isLean: boolean, used: number): KnownBlock[] {
  if (adminPart.length === 0) return [];
  const divider = { type: 'divider' } as const;
  const room = LIMITS.viewBlocks - used - 1;
  if (!isLean && adminPart.length <= room) return [divider, ...adminPart];
  const cut = isLean ? [] : adminPart.slice(0, room - 1);
  return [
    divider,
    ...cut,
    context('Slack can’t show any more here. Use the filters to narrow the list.'),
  ];
}

function header(words: string): KnownBlock {
  return { type: 'header', text: { type: 'plain_text', text: words, emoji: false } };
}

function section(words: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: words } };
}

function context(words: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text: words }] };
}

function button(actionId: string, words: string, value?: string): Button {
  return {
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text: words, emoji: false },
    ...(value !== undefined && { value }),
  };
}
