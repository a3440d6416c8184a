import type { PageStart } from '../state/page-start.ts';

/** The workspace replaces this placeholder with a mention of the app. */
const BOT_PLACEHOLDER = `$${'{bot}'}`;

type App = PageStart['app'];

/**
 * Replaces the typed name of the app with its mention. The workspace encodes the rest as Slack
 * does.
 */
export function encodeTyped(typed: string, app: App): string {
  const pattern = new RegExp(`(?<![\\w@])@${escapePattern(app.name)}(?![\\w-])`, 'gi');
  return typed.replace(pattern, () => BOT_PLACEHOLDER);
}

/** Decodes a message text to what a person would type: undoes Slack's encoding. */
export function decodeTyped(text: string, app: App): string {
  return text
    .replaceAll(`<@${app.botUserId}>`, `@${app.name}`)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Splits "/name rest" into command and text. Returns undefined for an ordinary message. */
export function parseCommand(typed: string): { command: string; text: string } | undefined {
  const match = /^(\/[a-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(typed.trim());
  if (match === null) return undefined;
  return { command: match[1] ?? '', text: (match[2] ?? '').trim() };
}

/** Returns the start of a mention before the caret, without `@`. Undefined if there is none. */
export function mentionPrefix(typed: string, caret: number): string | undefined {
  return /(?:^|\s)@([\w.'-]*)$/.exec(typed.slice(0, caret))?.[1];
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
