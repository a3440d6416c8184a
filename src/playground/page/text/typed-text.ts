import type { PageStart } from '../state/page-start.ts';

/** What the workspace replaces by the app's mention in a text that a person says. */
const BOT_PLACEHOLDER = `$${'{bot}'}`;

type App = PageStart['app'];

/** Turns the app's typed name into its mention; the workspace encodes the rest as Slack does. */
export function encodeTyped(typed: string, app: App): string {
  const pattern = new RegExp(`(?<![\\w@])@${escapePattern(app.name)}(?![\\w-])`, 'gi');
  return typed.replace(pattern, () => BOT_PLACEHOLDER);
}

/** What a person would type to have this message text; undoes Slack's encoding of it. */
export function decodeTyped(text: string, app: App): string {
  return text
    .replaceAll(`<@${app.botUserId}>`, `@${app.name}`)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Splits "/name rest" into command and text, or nothing for an ordinary message. */
export function parseCommand(typed: string): { command: string; text: string } | undefined {
  const match = /^(\/[a-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(typed.trim());
  if (match === null) return undefined;
  return { command: match[1] ?? '', text: (match[2] ?? '').trim() };
}

/** The beginning of a mention before the caret, without its `@`; undefined when there is none. */
export function mentionPrefix(typed: string, caret: number): string | undefined {
  return /(?:^|\s)@([\w.'-]*)$/.exec(typed.slice(0, caret))?.[1];
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
