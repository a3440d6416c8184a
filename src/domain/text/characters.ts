/**
 * Properties of single characters, cached: a text uses few different characters, each many times.
 */

/** Returns a cached test of whether the character at an index matches a pattern. */
function createCharacterTest(pattern: string): (text: string, at: number) => boolean {
  const one = new RegExp(`^${pattern}`, 'v');
  const UNKNOWN = 0;
  const YES = 1;
  const NO = 2;
  const known = new Uint8Array(0x11_0000);
  return (text, at) => {
    const code = text.codePointAt(at) ?? -1;
    if (code === -1) return false;
    const kind = known[code];
    if (kind !== UNKNOWN) return kind === YES;
    const found = one.test(String.fromCodePoint(code));
    known[code] = found ? YES : NO;
    return found;
  };
}

/** Pattern part: characters that can't be seen. */
export const HIDDEN =
  '[[\\p{Cc}\\p{Cf}\\p{Cn}\\p{Co}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800]--[\\n ]]';
/** Pattern part: a whole emoji sequence. */
export const EMOJI = '\\p{RGI_Emoji}';
/** Pattern part: a plainly visible character that never joins with others. */
export const LETTER =
  '[[!-\\[\\]-~][[\\p{L}\\p{N}\\p{P}]--[\\p{Emoji}\\p{Default_Ignorable_Code_Point}\\\\⟨]]]';
/** Characters that Unicode may join with the letter before them. */
const JOINING = '[[\\p{M}\\u1160-\\u11ff\\u{16d63}-\\u{16d6a}]--\\p{Default_Ignorable_Code_Point}]';

export const isHidden = createCharacterTest(HIDDEN);
export const isLetter = createCharacterTest(LETTER);
export const isMark = createCharacterTest('\\p{M}');
export const isJoining = createCharacterTest(JOINING);
/** Starts every emoji sequence. Many of these, e.g. digits, are not emoji on their own. */
export const isEmoji = createCharacterTest('\\p{Emoji}');

/** Returns whether the second half of a surrogate pair is at an index. */
export function isLowSurrogate(text: string, at: number): boolean {
  return text.charCodeAt(at) >> 10 === 0x37;
}

/** Returns the size in code units of the character at an index. */
export function sizeAt(text: string, at: number): number {
  return text.charCodeAt(at) >> 10 === 0x36 && isLowSurrogate(text, at + 1) ? 2 : 1;
}
