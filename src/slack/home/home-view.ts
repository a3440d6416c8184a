import type { Button, HomeView, KnownBlock } from '@slack/types';
import type { AskedFor } from '../../desk/list-asked.ts';
import type { Waiting } from '../../desk/list-waiting.ts';
import type { Call, CardPlace } from '../../domain/call.ts';
import type { SecretMark } from '../../domain/secret-mark.ts';
import type { Toolbox } from '../../domain/tool.ts';
import { ACTIONS, VIEWS } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { dateText } from '../mrkdwn.ts';
import { buildNotice } from '../say-parts.ts';
import { writeSentence } from '../write-sentence.ts';
import { buildAskedEntry, buildWaitingEntry } from './home-entry.ts';
import { encodeHomePlace, type HomeList, type HomePlace } from './home-place.ts';

/** All that a person's Home tells. */
export interface HomeContent {
  readonly waiting: Waiting;
  readonly asked: AskedFor;
  readonly place: HomePlace;
  /** Where the cards of the calls stand, by the calls' ids. */
  readonly cards: ReadonlyMap<string, CardPlace>;
  /** What came of what the person has just done here. */
  readonly note?: string | undefined;
  /** What admins have below it; as many blocks as there is room for. */
  readonly adminPart: readonly KnownBlock[];
  /** When it was read. */
  readonly at: number;
}

/** What the view takes from elsewhere. */
export interface HomeLook {
  readonly toolbox: Pick<Toolbox, 'of'>;
  readonly mark: SecretMark;
  /** Leaves out what makes a view long: the arguments, and the part of admins. */
  readonly isLean?: boolean;
}

/** Builds a person's Home; what changes with every reading though nothing has changed is in its first block only. */
export function buildHomeView(content: HomeContent, look: HomeLook): HomeView {
  const { waiting, asked, place, note } = content;
  const blocks: KnownBlock[] = [
    buildTop(content.at),
    ...(note === undefined ? [] : buildNotice(note).blocks),
    header('Waiting for you'),
    ...(waiting.kind === 'nobody'
      ? [section(writeSentence(waiting.why))]
      : buildWaiting(waiting, content, look)),
    { type: 'divider' },
    header('You asked for'),
    ...buildAsked(asked, content, look),
  ];
  return toView([...blocks, ...fitAdminPart(content, look, blocks.length)], place);
}

/** Builds the Home of which nothing could be read. */
export function buildTroubleView(place: HomePlace, at: number): HomeView {
  const words =
    'I can’t read what waits for you right now: something broke on my side. Please press Refresh in a moment.';
  return toView([buildTop(at), section(`:warning: ${words}`)], place);
}

function toView(blocks: KnownBlock[], place: HomePlace): HomeView {
  const metadata = encodeHomePlace(place);
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
  page: Extract<Waiting, { kind: 'page' }>,
  content: HomeContent,
  look: HomeLook,
): KnownBlock[] {
  const { calls, next, doubt } = page;
  const number = content.place.waiting.length + 1;
  const doubts = doubt === undefined ? [] : [section(`:warning: ${writeSentence(doubt)}`)];
  if (calls.length === 0 && number === 1 && next === undefined) {
    // What is not known to be nothing is not called so.
    const hint = 'When a call needs your decision, it stands here.';
    return doubt === undefined
      ? [section(':white_check_mark: Nothing waits for you.'), context(hint)]
      : doubts;
  }
  return [
    context(sayCount(calls.length, number, next !== undefined)),
    ...doubts,
    ...calls.flatMap((call, i) => [
      ...(i === 0 ? [] : [{ type: 'divider' } as const]),
      ...buildWaitingEntry(call, entryLook(call, content, look)),
    ]),
    ...buildTurns('waiting', { number, next, back: 'Older', on: 'Newer' }),
  ];
}

function sayCount(calls: number, page: number, hasMore: boolean): string {
  if (page > 1) return `Page ${page}, oldest first${hasMore ? '; there are more' : ''}`;
  if (hasMore) return `More than ${calls} calls, oldest first`;
  return calls === 1 ? 'One call' : `${calls} calls, oldest first`;
}

function buildAsked({ open, over, next }: AskedFor, content: HomeContent, look: HomeLook) {
  const number = content.place.asked.length + 1;
  const entries = (calls: readonly Call[]) =>
    calls.flatMap((call) => buildAskedEntry(call, entryLook(call, content, look)));
  if (open.length + over.length === 0 && number === 1) {
    return [
      section('Nothing yet.'),
      context('What the agent wants to do for you, and how it stands, is told here.'),
    ];
  }
  return [
    ...(open.length === 0 ? [context('Nothing of it goes on now.')] : entries(open)),
    ...(over.length === 0 ? [] : [context('*The last ones that are over*'), ...entries(over)]),
    ...buildTurns('asked', { number, next, back: 'Newer', on: 'Older' }),
  ];
}

function entryLook(call: Call, { cards }: HomeContent, { toolbox, mark, isLean }: HomeLook) {
  const card = cards.get(call.id);
  return { tool: toolbox.of(call), mark, card, showsArguments: isLean !== true };
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

function fitAdminPart({ adminPart }: HomeContent, { isLean }: HomeLook, used: number) {
  if (adminPart.length === 0) return [];
  const room = LIMITS.viewBlocks - used - 1;
  if (!isLean && adminPart.length <= room) return [{ type: 'divider' } as const, ...adminPart];
  const cut = isLean ? [] : adminPart.slice(0, room - 1);
  return [
    { type: 'divider' } as const,
    ...cut,
    context('There is no room here for all of the rest.'),
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
