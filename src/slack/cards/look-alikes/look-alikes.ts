/** Finds text that imitates other text (words, signs, host names) and describes it. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { findLookAlikeSigns } from './look-alike-signs.ts';
import { findLookAlikeWords, type LookAlikeWord } from './look-alike-words.ts';

/** One finding: the text itself as data, then a description. */
export interface LookAlike {
  readonly shown: string;
  readonly description: string;
  /** A second text, also data, e.g. a host's other spelling. */
  readonly other?: string;
  /**
   * Whether it is normal here, e.g. a short Russian word in a Russian sentence. It is listed, but
   * not as a warning.
   */
  readonly isUsual?: boolean;
}

/** Finds text that a reader may take for something else, each finding once. */
export function findLookAlikes(text: string): readonly LookAlike[] {
  // Plain ASCII can only have encoded host names, or a host behind an “@”.
  const isPlain = !NOT_ASCII.test(text);
  if (isPlain && !MAY_HOLD_HOST.test(text)) return [];
  const found = isPlain
    ? findHosts(text)
    : [
        ...findHosts(text),
        ...findLookAlikeWords(text).map(wordLookAlike),
        ...findLookAlikeSigns(text).map(({ sign, look }) => ({
          shown: sign,
          description: `(${describeCodes([sign])}) looks like`,
          other: look,
        })),
        ...findDirections(text),
      ];
  const byText = new Map(found.map((each) => [`${each.shown}\0${each.description}`, each]));
  return [...byText.values()];
}

const NOT_ASCII = /[^\0-\x7f]/;
const MAY_HOLD_HOST = /:\/\/|xn--/i;

function wordLookAlike({ word, kind, scripts, odd, isInContext }: LookAlikeWord): LookAlike {
  const shown = shownWord(word);
  const codes = `(${describeCodes(odd)})`;
  switch (kind) {
    case 'mixed':
      return {
        shown,
        description: `has mixed scripts: ${scripts.join(' + ')} in one word ${codes}`,
      };
    case 'styled':
      if (isInContext) return { shown, description: USUAL, isUsual: true };
      return { shown, description: `has characters that only look like plain ones ${codes}` };
    case 'whole': {
      if (isInContext) return { shown, description: USUAL, isUsual: true };
      const [script, like] = scripts;
      return {
        shown,
        description: `is written in ${script} letters, each of which looks ${like} ${codes}`,
      };
    }
  }
}

const USUAL = 'looks the same in another alphabet';

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const BESIDE = /[\p{Script=Latin}\p{Nd}]/u;

function findDirections(text: string): readonly LookAlike[] {
  const isMixed = text.split('\n').some((line) => RIGHT_TO_LEFT.test(line) && BESIDE.test(line));
  if (!isMixed) return [];
  const description =
    'Right-to-left letters are mixed with others: the order on the screen may differ from the text.';
  return [{ shown: '', description }];
}

const AUTHORITY = /\b[a-z][a-z0-9+.-]{0,20}:\/\/([^\s/?#"'<>\\]+)/giu;
const ADDRESS = /@((?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,})/gu;
const ENCODED = /(?<![\w.-])((?:[a-z0-9-]+\.)*xn--[a-z0-9-]+(?:\.[a-z0-9-]+)*)/gi;

/** The maximum length of a host name: https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4 */
const MAX_HOST = 253;
/** More would be slow, and nobody reads that many. */
const MAX_HOSTS = 100;

function findHosts(text: string): readonly LookAlike[] {
  const behindAt = new Set<string>();
  const hosts = new Set<string>();
  for (const [, authority = ''] of text.matchAll(AUTHORITY)) {
    const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d{1,10}$/, '');
    if (authority.includes('@')) behindAt.add(host);
    hosts.add(host);
  }
  for (const pattern of [ADDRESS, ENCODED]) {
    for (const [, host = ''] of text.matchAll(pattern)) hosts.add(host);
  }
  const odd = [...hosts].filter((host) => isEncoded(host) || NOT_ASCII.test(host));
  return [
    ...[...behindAt].map((host) => ({
      shown: shownWord(host),
      description: 'is the host of a URL, behind an “@”',
    })),
    ...odd.slice(0, MAX_HOSTS).map(hostLookAlike),
  ];
}

function isEncoded(host: string): boolean {
  return /(?:^|\.)xn--/i.test(host);
}

function hostLookAlike(host: string): LookAlike {
  const wasEncoded = isEncoded(host);
  const convert = wasEncoded ? domainToUnicode : domainToASCII;
  // Converting takes time quadratic in the length.
  const other = host.length > MAX_HOST ? '' : convert(host);
  if (other === '' || other === host.toLowerCase()) {
    return { shown: shownWord(host), description: 'is not a valid host name' };
  }
  const description = wasEncoded
    ? 'is a host name that is displayed as'
    : 'is a host name that is encoded as';
  return { shown: shownWord(host), description, other: shownWord(other) };
}

const MAX_WORD = 60;

function shownWord(word: string): string {
  // Only split the part that is shown.
  const letters = [...word.slice(0, 2 * MAX_WORD + 2)];
  const cut = letters.length > MAX_WORD ? `${letters.slice(0, MAX_WORD).join('')}…` : word;
  return toVisible(cut).text;
}

const MAX_CODES = 6;

function describeCodes(letters: readonly string[]): string {
  const codes = [...new Set(letters)].map(
    (letter) => `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  const more = codes.length > MAX_CODES ? ' …' : '';
  return `${codes.slice(0, MAX_CODES).join(', ')}${more}`;
}
