/** What single characters are. Each is looked up once: a text has few different ones, and very many of each. */

/** Tells of the character at a place of a text whether it is of a kind; each kind of character is looked up once. */
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

/** As a part of a pattern: what can’t be seen. */
export const HIDDEN =
  '[[\\p{Cc}\\p{Cf}\\p{Cn}\\p{Co}\\p{Cs}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800]--[\\n ]]';
/** As a part of a pattern: an emoji with all that belongs to it. */
export const EMOJI = '\\p{RGI_Emoji}';
/** As a part of a pattern: what is plainly seen and joined with nothing. */
export const LETTER =
  '[[!-\\[\\]-~][[\\p{L}\\p{N}\\p{P}]--[\\p{Emoji}\\p{Default_Ignorable_Code_Point}\\\\⟨]]]';
/** What Unicode may join with the letter before it. */
const JOINING = '[[\\p{M}\\u1160-\\u11ff\\u{16d63}-\\u{16d6a}]--\\p{Default_Ignorable_Code_Point}]';

export const isHidden = createCharacterTest(HIDDEN);
export const isLetter = createCharacterTest(LETTER);
export const isMark = createCharacterTest('\\p{M}');
export const isJoining = createCharacterTest(JOINING);
/** Every emoji sequence begins with one; most are no emoji by themselves, as digits are none. */
export const isEmoji = createCharacterTest('\\p{Emoji}');

/** Tells whether the second half of a pair stands at a place. */
export function isLowSurrogate(text: string, at: number): boolean {
  return text.charCodeAt(at) >> 10 === 0x37;
}

/** How many code units the character at a place has. */
export function sizeAt(text: string, at: number): number {
  return text.charCodeAt(at) >> 10 === 0x36 && isLowSurrogate(text, at + 1) ? 2 : 1;
}
