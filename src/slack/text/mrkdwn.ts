import type { CardPlace } from '../../domain/calls/call.ts';
import type { MentionTarget } from '../../domain/cards/card-channel.ts';
import type { Group } from '../../domain/people/person.ts';
import type { Mentions } from '../../domain/threads/outbox-message.ts';

/** Escapes a text for mrkdwn: it contains no mentions, links or entities. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes untrusted text and breaks its URLs, so that Slack neither links nor unfurls them. */
export function toPlainText(text: string): string {
  return escapeMrkdwn(text).replaceAll('://', ':\u2060//');
}

/** Writes untrusted text as one line of mrkdwn: plain if it can’t contain markup, else as code. */
export function toPlainMrkdwn(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (!MAY_BE_MARKUP.test(line)) return escapeMrkdwn(line);
  return `\`${escapeMrkdwn(line.replaceAll('`', '’'))}\``;
}

/** Formatting marks, emoji, URLs and quotes. */
const MAY_BE_MARKUP = /\*|([_~]).*\1|`|:[^\s:]+:|:\/\/|^>|<|@|#/;

/** Decodes Slack’s entities `&lt;`, `&gt;` and `&amp;` in one pass. */
export function unescapeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/** Mentions a user; an invalid id becomes text. */
export function mention(user: string): string {
  return /^[A-Z0-9]{1,40}$/.test(user) ? `<@${user}>` : escapeMrkdwn(user);
}

/** Mentions a user group, which notifies its members, or links a channel. https://docs.slack.dev/messaging/formatting-message-text#mentioning-groups */
function mentionGroup(group: Group): string {
  const id = group.slice(group.indexOf(':') + 1);
  if (!/^[A-Z0-9]{1,40}$/.test(id)) return escapeMrkdwn(id);
  return group.startsWith('channel:') ? `<#${id}>` : `<!subteam^${id}>`;
}

/** Writes all mentions of a message; empty if there are none. */
export function mentionAll(mentions: Mentions | undefined): string {
  const { groups = [], people = [] } = mentions ?? {};
  return [...groups.map(mentionGroup), ...people.map(({ user }) => mention(user))].join(' ');
}

/** Writes the mentions of people, user groups and channels, separated by commas. */
export function mentionTargets(calls: readonly MentionTarget[]): string {
  const all = calls.map((each) =>
    each.startsWith('user:') ? mention(each.slice('user:'.length)) : mentionGroup(each as Group),
  );
  return all.join(', ');
}

/** Links a channel; an invalid id becomes text. */
export function mentionChannel(id: string): string {
  return /^[A-Z0-9]{1,40}$/.test(id) ? `<#${id}>` : escapeMrkdwn(id);
}

/** Links a message. The link opens in the reader’s workspace. https://docs.slack.dev/reference/methods/chat.getPermalink */
export function linkTo({ channel, ts }: CardPlace, label: string): string {
  return `<https://slack.com/archives/${channel}/p${ts.replace('.', '')}|${label}>`;
}

/** Writes a time (ms) that Slack shows in the reader’s time zone. https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
export function dateText(atMs: number, format = '{date_short_pretty} at {time}'): string {
  const fallback = `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(atMs / 1000)}^${format}|${fallback}>`;
}

const OUR_MARKUP = /<(?:@[A-Z0-9]+|#[A-Z0-9]+|!date\^[^<>]+|https:\/\/[^<>\s]+)>/g;

/** Escapes a notice of ours, except mentions of people and channels, dates and https links. */
export function toSafeNotice(text: string): string {
  const kept = text.match(OUR_MARKUP) ?? [];
  const parts = text.split(OUR_MARKUP).map((part) =>
    part
      .replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  );
  return parts.map((part, i) => part + (kept[i] ?? '')).join('');
}

const LIVE_MARKUP = /<(?=@[A-Z0-9]|#[A-Z0-9]|!(?:channel|here|everyone|subteam|date)\b)/gi;

/** Disarms mentions in the agent’s Markdown with an invisible word joiner. */
export function disarmMentions(text: string): string {
  return text.replace(LIVE_MARKUP, '<\u2060');
}

/** Characters needed to tell a mention from text: the longest is `<!everyone` and one more. */
const MAX_OPEN_MARKUP = 12;

/**
 * Returns the disarmed prefix that no later text can change. It holds back possible markup and half
 * a character at the end.
 */
export function settledMarkdownPrefix(text: string): string {
  const open = text.indexOf('<', Math.max(0, text.length - MAX_OPEN_MARKUP));
  const end = open === -1 ? text.length : open;
  const whole = /[\uD800-\uDBFF]$/.test(text.slice(0, end)) ? end - 1 : end;
  const disarmed = [...text.matchAll(LIVE_MARKUP)].filter(({ index }) => index < whole).length;
  return disarmMentions(text).slice(0, whole + disarmed);
}

/** Cuts an incomplete table row, and a table without body rows, from the end of growing Markdown. Both look like bars and dashes. */
export function settledTableRows(text: string): string {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  if (last !== '' && !last.startsWith('|')) return text;
  const before = lines.slice(0, -1);
  const first = before.findLastIndex((line) => !line.startsWith('|')) + 1;
  const keep = before.length - first < 2 ? before.slice(0, first) : before;
  if (last === '' && keep.length === before.length) return text;
  return keep.map((line) => `${line}\n`).join('');
}
