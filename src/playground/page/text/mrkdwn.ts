/** Parses Slack's mrkdwn. https://docs.slack.dev/messaging/formatting-message-text */
import { emojiCharacter } from './emoji.ts';
import {
  bareUrl,
  codeSpan,
  delimited,
  type Inline,
  type InlineRule,
  type InlineRules,
  matchAt,
  scanInlines,
} from './inline.ts';

/** A block of mrkdwn. */
export interface MrkdwnBlock {
  readonly kind: 'paragraph' | 'quote' | 'pre';
  readonly children: readonly Inline[];
}

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Decodes Slack's three HTML entities. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);
}

const entity: InlineRule = (text, at) => {
  const match = matchAt(/&(?:amp|lt|gt);/y, text, at);
  if (match === undefined) return undefined;
  return { node: { kind: 'text', text: decodeEntities(match[0]) }, end: at + match[0].length };
};

const emoji: InlineRule = (text, at) => {
  const match = matchAt(/:([a-z0-9_+'-]+):(?::skin-tone-\d:)?/y, text, at);
  const name = match?.[1];
  if (match === undefined || name === undefined || emojiCharacter(name) === undefined) {
    return undefined;
  }
  return { node: { kind: 'emoji', name }, end: at + match[0].length };
};

const code: InlineRule = (text, at, nested) => {
  const span = codeSpan(text, at, nested);
  if (span?.node.kind !== 'code') return undefined;
  return { node: { kind: 'code', text: decodeEntities(span.node.text) }, end: span.end };
};

const angle: InlineRule = (text, at) => {
  const match = matchAt(/<([^<>\n]+)>/y, text, at);
  if (match === undefined) return undefined;
  return { node: parseAngle(match[1] ?? ''), end: at + match[0].length };
};

function parseAngle(inside: string): Inline {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? undefined : decodeEntities(inside.slice(bar + 1));
  const mention = /^([@#])([A-Z][A-Z0-9]+)$/.exec(target);
  if (mention !== null) {
    return { kind: mention[1] === '@' ? 'user' : 'channel', id: mention[2] ?? '', label };
  }
  if (target.startsWith('!')) return parseSpecial(target.slice(1), label);
  const url = decodeEntities(target);
  return { kind: 'link', url, children: [{ kind: 'text', text: label ?? url }] };
}

function parseSpecial(target: string, label: string | undefined): Inline {
  const [command = '', ...rest] = target.split('^');
  if (command === 'subteam') return { kind: 'group', id: rest[0] ?? '', label };
  if (command === 'date' && /^\d+$/.test(rest[0] ?? '')) {
    const [timestamp, format = '', url] = rest;
    return {
      kind: 'date',
      timestamp: Number(timestamp),
      format: decodeEntities(format),
      fallback: label ?? '',
      url: url === undefined ? undefined : decodeEntities(url),
    };
  }
  if (['here', 'channel', 'everyone'].includes(command)) {
    return { kind: 'broadcast', range: command };
  }
  return { kind: 'text', text: label ?? `<!${target}>` };
}

const RULES: InlineRules = {
  '*': [delimited('*', 'strong', { wholeWords: true })],
  _: [delimited('_', 'emphasis', { wholeWords: true })],
  '~': [delimited('~', 'strike', { wholeWords: true })],
  '`': [code],
  '<': [angle],
  '&': [entity],
  ':': [emoji],
  h: [bareUrl],
};
const PRE_RULES: InlineRules = { '<': [angle], '&': [entity] };
const PLAIN_RULES: InlineRules = { '&': [entity], ':': [emoji] };

/** Parses mrkdwn into blocks. Never throws. */
export function parseMrkdwn(text: string): readonly MrkdwnBlock[] {
  const blocks: MrkdwnBlock[] = [];
  // Splitting with a capturing group puts the contents of fences at odd indexes.
  text.split(/```([\s\S]+?)```/).forEach((part, index, parts) => {
    if (index % 2 === 1) {
      const inside = part.replace(/^\n/, '').replace(/\n$/, '');
      blocks.push({ kind: 'pre', children: scanInlines(inside, PRE_RULES) });
      return;
    }
    const afterPre = index > 0 ? part.replace(/^\n/, '') : part;
    const between = index < parts.length - 1 ? afterPre.replace(/\n$/, '') : afterPre;
    if (between !== '') blocks.push(...parseLines(between));
  });
  return blocks;
}

/** Parses the text of a `plain_text` object: entities and emoji only. */
export function parsePlainText(text: string): readonly Inline[] {
  return scanInlines(text, PLAIN_RULES);
}

function parseLines(text: string): readonly MrkdwnBlock[] {
  const groups: { kind: 'paragraph' | 'quote'; lines: string[] }[] = [];
  let isQuotedToEnd = false;
  for (const line of text.split('\n')) {
    const quote = /^(?:>>>|&gt;&gt;&gt;|>|&gt;) ?/.exec(line);
    const kind = isQuotedToEnd || quote !== null ? 'quote' : 'paragraph';
    const content = isQuotedToEnd ? line : line.slice(quote?.[0].length ?? 0);
    isQuotedToEnd ||= quote !== null && /^(?:>>>|&gt;&gt;&gt;)/.test(quote[0]);
    const last = groups.at(-1);
    if (last?.kind === kind) last.lines.push(content);
    else groups.push({ kind, lines: [content] });
  }
  return groups.map(({ kind, lines }) => ({
    kind,
    children: scanInlines(lines.join('\n'), RULES),
  }));
}
