import { unescapeEntities } from './mrkdwn.ts';
import { listAt, type Payload, textAt } from './payload.ts';

/** Returns what a person wrote as they wrote it: without the mention of the app, links and entities as text. */
export function readMessageText(event: Payload, botUserId: string): string {
  const raw = typeof event.text === 'string' ? event.text : '';
  const withoutUs = raw.replace(new RegExp(`\\s*<@${botUserId}(?:\\|[^>]*)?>[,:]?`, 'g'), '');
  const words = unescapeEntities(withoutUs.replace(MARKUP, readMarkup)).trim();
  const files = listAt(event, 'files').map((file) => textAt(file, 'name') ?? 'a file');
  if (files.length > 0) return `${words}\n${aboutFiles(files)}`.trim();
  return words === '' ? '(an empty message: only the mention)' : words;
}

/** Tells whether the text mentions the app. */
export function mentionsUs(event: Payload, botUserId: string): boolean {
  const text = textAt(event, 'text') ?? '';
  return text.includes(`<@${botUserId}>`) || text.includes(`<@${botUserId}|`);
}

function aboutFiles(names: readonly string[]): string {
  const them = names.length === 1 ? 'it' : 'them';
  const what = names.length === 1 ? 'file' : 'files';
  return `(${what} attached: ${names.join(', ')}; this version can't open ${them})`;
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
