/** Punctuation and symbols that imitate ASCII, where prose would not use them. */
import { prototypeFormOf } from './confusables.ts';

/** A sign, and the ASCII text that it looks like. */
export interface LookAlikeSign {
  readonly sign: string;
  readonly look: string;
}

const OTHER_SIGN = '[[\\p{P}\\p{S}]--\\p{ASCII}]';
const SIGNS = new RegExp(OTHER_SIGN, 'gv');
const MAX_SIGNS = 20;

/** Finds such signs, each once, at most 20. */
export function findLookAlikeSigns(text: string): readonly LookAlikeSign[] {
  const found = new Map<string, LookAlikeSign>();
  SIGNS.lastIndex = 0;
  while (found.size < MAX_SIGNS && SIGNS.test(text)) {
    const to = SIGNS.lastIndex;
    const from = to - (text.charCodeAt(to - 1) >> 10 === 0x37 ? 2 : 1);
    const sign = text.slice(from, to);
    const look = asciiLook(sign);
    if (look === undefined || found.has(sign)) continue;
    if (!isProse(text.slice(Math.max(0, from - NEAR), from), sign, text.slice(to, to + NEAR))) {
      found.set(sign, { sign, look });
    }
  }
  return [...found.values()];
}

const LOOKS = new Map<string, string | undefined>();

function asciiLook(sign: string): string | undefined {
  if (LOOKS.has(sign)) return LOOKS.get(sign);
  const ascii = [sign.normalize('NFKC'), prototypeFormOf(sign)].find((look) =>
    /^[!-~]+$/.test(look),
  );
  LOOKS.set(sign, ascii);
  return ascii;
}

const NEAR = 8;

/**
 * Where prose uses a sign: the text before and after it. Elsewhere it may be part of a command or
 * name.
 */
const PLACES: readonly (readonly [signs: RegExp, before: RegExp, after: RegExp])[] = [
  [/[“‘‚]/, /(?:^|[\s([{«“—–"])$/u, /^[\p{L}\p{N}“‘¿¡(]/u],
  [/[”’‛]/, /[\p{L}\p{N}.,!?…)%”’]$/u, /^(?:$|[\s.,;:!?)\]}»”’"—–]|\p{L})/u],
  [/[–]/, /(?:^|\s)$/, /^(?:$|\s)/],
  [/[–]/, /\p{N}$/u, /^\p{N}/u],
  [/…/, /[\p{L}\p{N}\s.,!?»”’")]$/u, /^(?:$|[\s.,!?)»”’"])/u],
  [/×/, /\s$/, /^\s/],
  [/№/, /(?:^|[\s(«„"])$/, /^\s?\p{N}/u],
];

/** Wide signs, as used in Chinese, Japanese and Korean. */
const WIDE =
  /[\u3000-\u303f\u30fb\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3b\uff3d\uff5b-\uff5e]/;
const WIDE_LETTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

function isProse(before: string, sign: string, after: string): boolean {
  if (WIDE.test(sign)) return WIDE_LETTER.test(before) || WIDE_LETTER.test(after);
  if (isOfScript(before, sign)) return true;
  return PLACES.some(([signs, b, a]) => signs.test(sign) && b.test(before) && a.test(after));
}

/** Scripts with their own signs have them in the same Unicode block as their letters. */
function isOfScript(before: string, sign: string): boolean {
  const letter = /[\p{L}\p{M}\p{N}]$/u.exec(before)?.[0];
  if (letter === undefined || sign < '\u0370' || /[\u2000-\u2bff]/.test(sign)) return false;
  return (letter.codePointAt(0) ?? 0) >> 8 === (sign.codePointAt(0) ?? 0) >> 8;
}
