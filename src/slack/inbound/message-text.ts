import { shownFileName } from '../../domain/ports/file-ports.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { blocksToMarkdown, isRicherThanText, quote } from '../text/blocks-to-markdown.ts';
import { unescapeEntities } from '../text/mrkdwn.ts';
import { listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { parseFiles } from './parse-files.ts';

/**
 * Returns the text of a message, with what it forwards and without the mention of the app. Links and
 * entities become plain text. A message without text gets a description, such as its file names.
 */
export function readMessageText(event: Payload, botUserId: string): string {
  const forwarded = listAt(event, 'attachments').map(readForwarded);
  const parts = [readOwnText(event, botUserId), ...forwarded].filter((part) => part !== '');
  if (parts.length > 0) return parts.join('\n\n');
  const names = parseFiles(event).map(({ name }) => shownFileName(name));
  if (names.length > 0) return `(no text, only ${names.join(', ')})`;
  return '(an empty message: only the mention)';
}

function readOwnText(event: Payload, botUserId: string): string {
  const raw = typeof event.text === 'string' ? event.text : '';
  // The lookbehind avoids quadratic time on long runs of whitespace.
  const ownMention = new RegExp(`(?<!\\s)\\s*<@${botUserId}(?:\\|[^>]*)?>[,:]?`, 'g');
  const plain = readMrkdwn(raw.replace(ownMention, ''));
  const blocks = listAt(event, 'blocks');
  if (plain !== '' && !isRicherThanText(blocks)) return plain;
  return blocksToMarkdown(blocks).replace(ownMention, '').trim() || plain;
}

function readMrkdwn(text: string): string {
  return unescapeEntities(text.replace(MARKUP, readMarkup)).trim();
}

const NAME_LIMIT = 80;

/** Marks a forwarded text as somebody else’s. https://docs.slack.dev/reference/messaging/attachments */
function readForwarded(attachment: Payload): string {
  const blocks = listAt(attachment, 'message_blocks').flatMap((each) =>
    listAt(objectAt(each, 'message'), 'blocks'),
  );
  const own = listAt(attachment, 'blocks');
  const text = readMrkdwn(textAt(attachment, 'text') ?? '');
  const words = blocksToMarkdown(blocks.length > 0 ? blocks : own) || text;
  const shown = words || readMrkdwn(textAt(attachment, 'fallback') ?? '');
  if (shown === '') return '';
  return `${attributionOf(attachment)}\n${quote(shown)}`;
}

function attributionOf(attachment: Payload): string {
  const author = textAt(attachment, 'author_name') ?? textAt(attachment, 'author_id');
  const name = toVisible((author ?? 'somebody').replaceAll('\n', ' ')).text.slice(0, NAME_LIMIT);
  const isMessage = attachment.is_share === true || attachment.is_msg_unfurl === true;
  return isMessage || author !== undefined
    ? `(Forwarded; written by ${name}:)`
    : '(Attached; not written by the author of the message:)';
}

/** Returns whether the text mentions the app. */
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
