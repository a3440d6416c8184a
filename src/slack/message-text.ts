import { shownFileName } from '../domain/file-ports.ts';
import { unescapeEntities } from './mrkdwn.ts';
import { type Payload, textAt } from './payload.ts';
import { readFiles } from './read-files.ts';

/** Returns what a person wrote as they wrote it: without the mention of the app, links and entities as text. A message that is only files gets words that say so. */
export function readMessageText(event: Payload, botUserId: string): string {
  const raw = typeof event.text === 'string' ? event.text : '';
  // From where the blanks begin, and not from each of them: many would take seconds.
  const us = new RegExp(`(?<!\\s)\\s*<@${botUserId}(?:\\|[^>]*)?>[,:]?`, 'g');
  const withoutUs = raw.replace(us, '');
  const words = unescapeEntities(withoutUs.replace(MARKUP, readMarkup)).trim();
  if (words !== '') return words;
  const names = readFiles(event).map(({ name }) => shownFileName(name));
  if (names.length > 0) return `(no words, only ${names.join(', ')})`;
  return '(an empty message: only the mention)';
}

/** Tells whether the text mentions the app. */
export function mentionsUs(event: Payload, botUserId: string): boolean {
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
