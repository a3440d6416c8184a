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

const escaped: InlineRule = (text, at) => {
  const match = matchAt(/\\([!-/:-@[-`{-~])/y, text, at);
  return match && { node: { kind: 'text', text: match[1] ?? '' }, end: at + 2 };
};

const longCode: InlineRule = (text, at) => {
  const match = matchAt(/(`{2,}) ?((?:(?!\1)[^\n])+?) ?\1(?!`)/y, text, at);
  if (match === undefined) return undefined;
  return { node: { kind: 'code', text: match[2] ?? '' }, end: at + match[0].length };
};

const link: InlineRule = (text, at, nested) => {
  const match = matchAt(
    /!?\[((?:[^[\]\n\\]|\\.)*)\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+"[^"\n]*")?\s*\)/y,
    text,
    at,
  );
  if (match === undefined) return undefined;
  const url = match[2] ?? '';
  const children = nested(match[1] ?? '');
  const shown: readonly Inline[] = children.length > 0 ? children : [{ kind: 'text', text: url }];
  return { node: { kind: 'link', url, children: shown }, end: at + match[0].length };
};

const autolink: InlineRule = (text, at) => {
  const match = matchAt(/<((?:https?:\/\/|mailto:)[^\s<>]+)>/y, text, at);
  if (match === undefined) return undefined;
  const url = match[1] ?? '';
  return {
    node: { kind: 'link', url, children: [{ kind: 'text', text: url }] },
    end: at + match[0].length,
  };
};

const slackMention: InlineRule = (text, at) => {
  const match = matchAt(/<([@#])([A-Z][A-Z0-9]+)(?:\|([^<>\n]*))?>/y, text, at);
  if (match === undefined) return undefined;
  return {
    node: { kind: match[1] === '@' ? 'user' : 'channel', id: match[2] ?? '', label: match[3] },
    end: at + match[0].length,
  };
};

const emoji: InlineRule = (text, at) => {
  const match = matchAt(/:([a-z0-9_+-]+):/y, text, at);
  const name = match?.[1] ?? '';
  if (match === undefined || emojiCharacter(name) === undefined) return undefined;
  return { node: { kind: 'emoji', name }, end: at + match[0].length };
};

const RULES: InlineRules = {
  '\\': [escaped],
  '`': [longCode, codeSpan],
  '*': [
    delimited('**', 'strong', { wholeWords: false }),
    delimited('*', 'emphasis', { wholeWords: false }),
  ],
  _: [
    delimited('__', 'strong', { wholeWords: true }),
    delimited('_', 'emphasis', { wholeWords: true }),
  ],
  '~': [delimited('~~', 'strike', { wholeWords: false })],
  '!': [link],
  '[': [link],
  '<': [autolink, slackMention],
  ':': [emoji],
  h: [bareUrl],
};

/** Parses inline Markdown. Never throws; HTML stays text. */
export function parseMarkdownInline(text: string): readonly Inline[] {
  return scanInlines(text, RULES);
}
