/**
 * A call in a list. Text from agents and programs goes into text elements, which Slack does not
 * parse.
 */
import type { RichTextBlock, RichTextElement } from '@slack/types';
import { isTerminal } from '../../domain/calls/call.ts';
import type { CallListEntry } from '../../domain/cards/call-list-entry.ts';
import { partsOf, type SentencePart } from '../../domain/text/sentence.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { isChannelItself, placeOf } from '../../domain/threads/thread-key.ts';
import { LIMITS } from '../text/limits.ts';
import type { MentionStyle } from '../text/write-sentence.ts';
import { safeCutIndex } from './values/fit-values.ts';

/** Formats one call as a line. With `quiet` nobody is mentioned. */
export function formatCallEntry(line: CallListEntry, naming: MentionStyle): RichTextElement[] {
  const { call, since, turn } = line;
  const isUrgent = call.risk === 'high' && !isTerminal(call);
  const url = linkOfLine(line);
  return [
    ...(isUrgent ? [{ type: 'emoji' as const, name: 'warning' }, text(' ')] : []),
    { ...text(visibleCallTitle(line.name)), style: { bold: true } },
    text(' · '),
    dateElement(since, '{ago}'),
    text(' · '),
    ...joinTexts(partsOf(turn)).flatMap((part) => writePart(part, naming)),
    ...(url === undefined
      ? []
      : [text(' · '), { type: 'link' as const, url, text: line.isCard ? 'Card' : 'Thread' }]),
  ];
}

export function formatCallList(
  lines: readonly CallListEntry[],
  naming: MentionStyle,
): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_list',
        style: 'bullet',
        elements: lines.map((line) => ({
          type: 'rich_text_section',
          elements: formatCallEntry(line, naming),
        })),
      },
    ],
  };
}

/** A longer name is cut off anyway, so the rest need not be processed. */
const MAX_NAME = 2 * LIMITS.headerText;

/** Formats the name of a call for unparsed text: on one line, with invisible characters escaped. */
export function visibleCallTitle(name: string): string {
  const shown = toVisible(name.slice(0, MAX_NAME).replaceAll(/\s+/g, ' ').trim()).text;
  const cut = shown.slice(0, safeCutIndex(shown, Math.min(shown.length, LIMITS.headerText)));
  return cut.length < shown.length ? `${cut}…` : cut;
}

/**
 * Returns the link to the card or thread.
 * https://docs.slack.dev/reference/methods/chat.getPermalink
 */
function linkOfLine({ call, place }: CallListEntry): string | undefined {
  if (place === undefined) return undefined;
  const link = `https://slack.com/archives/${place.channel}/p${place.ts.replace('.', '')}`;
  const thread = placeOf(call.thread);
  const isInThread =
    !isChannelItself(thread) && place.channel === thread.channel && place.ts !== thread.root;
  return isInThread ? `${link}?thread_ts=${thread.root}&cid=${thread.channel}` : link;
}

/** Merges adjacent texts. */
function joinTexts(parts: readonly SentencePart[]): readonly SentencePart[] {
  const joined: SentencePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

function writePart(part: SentencePart, naming: MentionStyle): RichTextElement[] {
  if (typeof part === 'string') return part === '' ? [] : [text(part)];
  if ('person' in part) return [writePerson(part.person, part.name, naming)];
  if ('group' in part) return writeGroup(part);
  if ('channel' in part) return [writeChannel(part.channel)];
  if ('callName' in part) return [{ ...text(part.callName), style: { bold: true } }];
  return [
    'ago' in part
      ? dateElement(part.ago, '{ago}')
      : dateElement(part.at, '{date_short_pretty} at {time}'),
  ];
}

const ID = /^[A-Z0-9]{1,40}$/;

function writePerson(id: string, name: string | undefined, naming: MentionStyle): RichTextElement {
  if (naming === 'mentioned' && ID.test(id)) return { type: 'user', user_id: id };
  return text(visibleCallTitle(name ?? id));
}

/** Mentioning a group would notify all of its members. */
function writeGroup({ group, handle }: Extract<SentencePart, { group: unknown }>) {
  const [kind, id = ''] = group.split(':');
  if (kind === 'channel') return [text('the members of '), writeChannel(id)];
  return [text(handle === undefined ? id : `@${visibleCallTitle(handle)}`)];
}

function writeChannel(id: string): RichTextElement {
  return ID.test(id) ? { type: 'channel', channel_id: id } : text(id);
}

/**
 * Shown in the reader's language and time zone.
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#date-element-type
 */
function dateElement(atMs: number, format: string): RichTextElement {
  const fallback = `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { type: 'date', timestamp: Math.floor(atMs / 1_000), format, fallback };
}

function text(words: string): RichTextElement & { type: 'text' } {
  return { type: 'text', text: words };
}
