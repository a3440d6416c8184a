import type { CardPlace } from '../../domain/calls/call.ts';
import type { MentionTarget } from '../../domain/cards/card-channel.ts';
import type { Group } from '../../domain/policy/route.ts';
import type { Mentions } from '../../domain/threads/outbox-message.ts';

/** Escapes a text for mrkdwn, so that nothing in it is a mention, a link or an entity. */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Writes a stranger's text so that nothing in it is markup and no address in it is a link, which Slack would look at. */
export function toPlainText(text: string): string {
  return escapeMrkdwn(text).replaceAll('://', ':\u2060//');
}

/** Writes a text that is not ours into a line of mrkdwn: as it is where nothing in it can be markup, else as code, in which nothing is. */
export function toPlainMrkdwn(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (!MAY_BE_MARKUP.test(line)) return escapeMrkdwn(line);
  return `\`${escapeMrkdwn(line.replaceAll('`', '’'))}\``;
}

/** Signs, an emoji, an address or a quotation. */
const MAY_BE_MARKUP = /\*|([_~]).*\1|`|:[^\s:]+:|:\/\/|^>|<|@|#/;

/** Reads Slack's entities back: `&lt;`, `&gt;`, `&amp;`, in one pass. */
export function unescapeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/** Writes the mention of a user; an id that is none is written as text. */
export function mention(user: string): string {
  return /^[A-Z0-9]{1,40}$/.test(user) ? `<@${user}>` : escapeMrkdwn(user);
}

/** Writes the mention of a group: of a user group one that calls its people, of a channel a link to it. https://docs.slack.dev/messaging/formatting-message-text#mentioning-groups */
function mentionGroup(group: Group): string {
  const id = group.slice(group.indexOf(':') + 1);
  if (!/^[A-Z0-9]{1,40}$/.test(id)) return escapeMrkdwn(id);
  return group.startsWith('channel:') ? `<#${id}>` : `<!subteam^${id}>`;
}

/** Writes the mentions of those whom a message calls; empty when it calls nobody. */
export function mentionAll(mentions: Mentions | undefined): string {
  const { groups = [], people = [] } = mentions ?? {};
  return [...groups.map(mentionGroup), ...people.map(({ user }) => mention(user))].join(' ');
}

/** Writes the mentions of those who are called by name. */
export function mentionTargets(calls: readonly MentionTarget[]): string {
  const all = calls.map((each) =>
    each.startsWith('user:') ? mention(each.slice('user:'.length)) : mentionGroup(each as Group),
  );
  return all.join(', ');
}

/** Writes a channel as a link to it; an id that is none is written as text. */
export function mentionChannel(id: string): string {
  return /^[A-Z0-9]{1,40}$/.test(id) ? `<#${id}>` : escapeMrkdwn(id);
}

/** Writes a link to a message, which leads to it in the workspace of whoever follows it. https://docs.slack.dev/reference/methods/chat.getPermalink */
export function linkTo({ channel, ts }: CardPlace, label: string): string {
  return `<https://slack.com/archives/${channel}/p${ts.replace('.', '')}|${label}>`;
}

/** Writes a time in the reader's own zone. https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
export function dateText(atMs: number, format = '{date_short_pretty} at {time}'): string {
  const fallback = `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${Math.floor(atMs / 1000)}^${format}|${fallback}>`;
}

const OUR_MARKUP = /<(?:@[A-Z0-9]+|#[A-Z0-9]+|!date\^[^<>]+|https:\/\/[^<>\s]+)>/g;

/** Makes a notice of ours safe: mentions of people and channels, dates and links stay, the rest is text. */
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

/** Takes the life out of mentions in the agent's Markdown: a word joiner breaks the markup, the look stays. */
export function disarmMentions(text: string): string {
  return text.replace(LIVE_MARKUP, '<\u2060');
}

/** As long as live markup takes to be told from text: `<!everyone` and what ends the word. */
const UNDECIDED = 12;

/**
 * Returns how `defuseMarkdown` begins for every text that begins with this one: what the end of the
 * text leaves open, markup or half a character, is held back.
 */
export function settledMarkdownPrefix(text: string): string {
  const open = text.indexOf('<', Math.max(0, text.length - UNDECIDED));
  const end = open === -1 ? text.length : open;
  const whole = /[\uD800-\uDBFF]$/.test(text.slice(0, end)) ? end - 1 : end;
  const defused = [...text.matchAll(LIVE_MARKUP)].filter(({ index }) => index < whole).length;
  return disarmMentions(text).slice(0, whole + defused);
}

/** Returns a growing Markdown text without the row at its end that is not whole, and without a table that has no body yet: both look like bars and dashes. */
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
