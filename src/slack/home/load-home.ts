import type { KnownBlock } from '@slack/types';
import type { WaitingCalls } from '../../desk/decisions/lists/list-waiting.ts';
import type { Desk } from '../../desk/desk.ts';
import type { Call } from '../../domain/calls/call.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { BUDGET } from '../text/limits.ts';
import type { HomeCounts } from './home-filters.ts';
import { type HomeList, type HomeState, INITIAL_HOME, previousHomePage } from './home-state.ts';
import type { HomeContent, HomeLists } from './home-view.ts';

/** Builds the admins' part of Home; empty for others. */
export type AdminSection = (person: Person) => Promise<readonly KnownBlock[]>;

/** The dependencies of loading a Home. */
export interface HomeSources {
  readonly desk: Pick<
    Desk,
    | 'listWaiting'
    | 'listRequested'
    | 'listTeam'
    | 'listDecided'
    | 'readOverview'
    | 'readPause'
    | 'isAdmin'
    | 'describeCalls'
  >;
  readonly adminPart?: AdminSection | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Larger numbers are shown as “more”. */
const MAX_COUNTED = 50;

type Page = { readonly calls: readonly Call[]; readonly next?: string | undefined };

/**
 * Loads a person's Home at a page of its lists. If the page has become empty, loads the one before.
 */
export async function loadHome(
  sources: HomeSources,
  person: Person,
  wanted: HomeState,
): Promise<HomeContent> {
  const { desk, clock } = sources;
  const first = { limit: MAX_COUNTED, seen: BUDGET.homeWaiting };
  const [all, mine, isAdmin, pause, adminPart] = await Promise.all([
    desk.listWaiting(person, first),
    desk.listRequested(person, first),
    desk.isAdmin(person),
    desk.readPause(),
    readAdminPart(sources, person),
  ]);
  const start = wanted.view === 'workspace' && !isAdmin ? INITIAL_HOME : wanted;
  const { lists, state } = await readLists(desk, person, start, all, mine);
  const overview = state.view === 'workspace' ? await desk.readOverview(person) : undefined;
  const known = all.kind === 'page' ? all.calls : [];
  const shown = callsOf(lists);
  const yours = new Set([...known, ...(lists.waiting?.calls ?? [])].map(({ id }) => id));
  const hasDecided = lists.decided !== undefined;
  const ofAdmin = [
    ...(overview?.routes.map(({ oldest }) => oldest) ?? []),
    ...(overview?.stuck.map(({ call }) => call) ?? []),
  ];
  const reader = { kind: 'person', person, yours, hasDecided } as const;
  const lines = await desk.describeCalls([...shown, ...ofAdmin], reader);
  return {
    waiting: all,
    lists,
    lines: new Map(lines.map((line) => [line.call.id, line])),
    state,
    counts: toCounts(all, mine),
    tools: [...known, ...mine.open, ...shown].map(({ tool }) => tool),
    isAdmin,
    overview,
    pause,
    adminPart,
    at: clock.now(),
  };
}

function toCounts(
  waiting: WaitingCalls,
  mine: { open: readonly Call[]; next?: string },
): HomeCounts {
  const page = waiting.kind === 'page' ? waiting : { calls: [], next: undefined };
  return {
    forYou: { count: page.calls.length, hasMore: page.next !== undefined },
    asked: { count: mine.open.length, hasMore: mine.next !== undefined },
  };
}

async function readLists(
  desk: HomeSources['desk'],
  person: Person,
  state: HomeState,
  all: WaitingCalls,
  mine: Awaited<ReturnType<Desk['listRequested']>>,
): Promise<{ readonly lists: HomeLists; readonly state: HomeState }> {
  const { search, tool, view } = state;
  const isAll = view === 'all';
  const pageOf = (list: HomeList, limit: number) => ({
    ...{ after: state[list].at(-1), limit, seen: limit },
    ...(tool !== undefined && { tool }),
  });
  const isFirst = (list: HomeList) => state[list].length === 0 && tool === undefined;

  async function readWaiting(): Promise<Page | undefined> {
    if (all.kind !== 'page') return undefined;
    if (isFirst('waiting')) return firstOf(all.calls, BUDGET.homeWaiting, all.next);
    const found = await desk.listWaiting(person, pageOf('waiting', BUDGET.homeWaiting));
    return found.kind === 'page' ? found : { calls: [] };
  }

  async function readAsked() {
    if (isFirst('asked')) {
      const { calls, next } = firstOf(mine.open, BUDGET.homeAsked, mine.next);
      return { open: calls, over: mine.over, next };
    }
    return await desk.listRequested(person, pageOf('asked', BUDGET.homeAsked));
  }

  const waiting = isAll || view === 'for-you' ? await readWaiting() : undefined;
  if (waiting && isEmptyPage(state, 'waiting', waiting)) {
    return await readLists(desk, person, previousHomePage(state, 'waiting'), all, mine);
  }
  const asked = isAll || view === 'asked' ? await readAsked() : undefined;
  if (asked && isEmptyPage(state, 'asked', { calls: asked.open })) {
    return await readLists(desk, person, previousHomePage(state, 'asked'), all, mine);
  }
  const team =
    view === 'team' ? await desk.listTeam(person, pageOf('team', BUDGET.homeList)) : undefined;
  const decided =
    view === 'decided'
      ? await desk.listDecided(person, { ...pageOf('decided', BUDGET.homeList), search })
      : undefined;
  return { lists: { waiting, asked, team, decided }, state };
}

function isEmptyPage(state: HomeState, list: HomeList, { calls, next }: Page): boolean {
  return state[list].length > 0 && calls.length === 0 && next === undefined;
}

function firstOf(calls: readonly Call[], limit: number, more: string | undefined): Page {
  const shown = calls.slice(0, limit);
  const next = calls.length > limit ? shown.at(-1)?.id : more;
  return { calls: shown, next };
}

function callsOf({ asked, decided, team, waiting }: HomeLists): readonly Call[] {
  return [
    ...(waiting?.calls ?? []),
    ...(asked ? [...asked.open, ...asked.over] : []),
    ...(team?.kind === 'page' ? team.calls : []),
    ...(decided?.calls ?? []),
  ];
}

/** If the admins' part fails, the rest of Home still works. */
async function readAdminPart(
  { adminPart, log }: HomeSources,
  person: Person,
): Promise<readonly KnownBlock[]> {
  try {
    return (await adminPart?.(person)) ?? [];
  } catch (error) {
    log.error({ err: error, person }, 'The admin section of Home could not be loaded.');
    const text = 'The admin section could not be loaded: something broke on my side.';
    return [{ type: 'section', text: { type: 'mrkdwn', text: `:warning: ${text}` } }];
  }
}
