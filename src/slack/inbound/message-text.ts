import { shownFileName } from '../../domain/ports/file-ports.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { unescapeEntities } from '../text/mrkdwn.ts';
import { listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { blocksToMarkdown, isRicherThanText, quote } from './blocks-to-markdown.ts';
import { parseFiles } from './parse-files.ts';

/** Returns what a person wrote as they wrote it, and what they forwarded: without the mention of the app, links and entities as text. A message that is only files gets words that say so. */
export function readMessageText(event: Payload, botUserId: string): string {
  const forwarded = listAt(event, 'attachments').map(readForwarded);
  const parts = [readWords(event, botUserId), ...forwarded].filter((part) => part !== '');
  if (parts.length > 0) return parts.join('\n\n');
  const names = parseFiles(event).map(({ name }) => shownFileName(name));
  if (names.length > 0) return `(no words, only ${names.join(', ')})`;
  return '(an empty message: only the mention)';
}

function readWords(event: Payload, botUserId: string): string {
  const raw = typeof event.text === 'string' ? event.text : '';
  // From where the blanks begin, and not from each of them: many would take seconds.
  const us = new RegExp(`(?<!\\s)\\s*<@${botUserId}(?:\\|[^>]*)?>[,:]?`, 'g');
  const plain = readMrkdwn(raw.replace(us, ''));
  const blocks = listAt(event, 'blocks');
  if (plain !== '' && !isRicherThanText(blocks)) return plain;
  return blocksToMarkdown(blocks).replace(us, '').trim() || plain;
}

function readMrkdwn(text: string): string {
  return unescapeEntities(text.replace(MARKUP, readMarkup)).trim();
}

const NAME_LIMIT = 80;

/** What somebody else wrote is marked as theirs. https://docs.slack.dev/reference/messaging/attachments */
function readForwarded(attachment: Payload): string {
  const blocks = listAt(attachment, 'message_blocks').flatMap((each) =>
    listAt(objectAt(each, 'message'), 'blocks'),
  );
  const own = listAt(attachment, 'blocks');
  const text = readMrkdwn(textAt(attachment, 'text') ?? '');
  const words = blocksToMarkdown(blocks.length > 0 ? blocks : own) || text;
  const shown = words || readMrkdwn(textAt(attachment, 'fallback') ?? '');
  if (shown === '') return '';
  return `${headOf(attachment)}\n${quote(shown)}`;
}

function headOf(attachment: Payload): string {
  const author = textAt(attachment, 'author_name') ?? textAt(attachment, 'author_id');
  const name = toVisible((author ?? 'somebody').replaceAll('\n', ' ')).text.slice(0, NAME_LIMIT);
  const isMessage = attachment.is_share === true || attachment.is_msg_unfurl === true;
  return isMessage || author !== undefined
    ? `(Forwarded; these are words of ${name}:)`
    : '(Attached; these are not the words of the person who wrote:)';
}

/** Tells whether the text mentions the app. */
export function mentionsThisApp(event: Payload, botUserId: string): boolean {
  const text = textAt(event, 'text') ?? '';
  return text.includes(`<@${botUserId}>`) || text.includes(`<@${botUserId}|`);
}

/** https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages */
const MARKUP = /<([^<>|]+)(?:\|([^<>]*))?>/g;

function readMarkup(whole: string, target: string, label: string | undefined): string {
  if (target.startsWith('@')) return `<${target}>`;
  if (target.startsWith('#')) return label ? `#${label}` : whole;
  if (target.startsWith('!subteam^')) return label || whole;
  if (target.startsWith('!date^')) return label || whole;
  if (target.startsWith('!')) return `@${target.slice(1)}`;
  const url = target.replace(/^mailto:/, '');
  if (!label || label === url || target.endsWith(`//${label}`)) return url;
  return `${label} (${target})`;
}
