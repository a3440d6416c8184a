/** Substring search in linear time (Knuth–Morris–Pratt), even for repetitive texts. */

/** Finds the first `most` occurrences of a text, overlapping ones included. */
export function findSubstrings(text: string, sought: string, most: number): readonly number[] {
  return matchEndsIn(text, sought, bordersOf(sought), most).map((end) => end - sought.length);
}

/** Finds where a text ends in another one, up to `most` times. `borders` are those of `sought`. */
export function matchEndsIn(
  text: string,
  sought: string,
  borders: Int32Array,
  most = Number.POSITIVE_INFINITY,
): readonly number[] {
  const ends: number[] = [];
  let matched = 0;
  for (let i = 0; i < text.length && ends.length < most; i += 1) {
    matched = extendMatch(sought, borders, matched, text.charCodeAt(i));
    if (matched === sought.length) ends.push(i + 1);
  }
  return ends;
}

/** Returns the length matched after one more character. */
function extendMatch(sought: string, borders: Int32Array, matched: number, code: number): number {
  let length = matched;
  // At the end of `sought`, charCodeAt is NaN and never matches.
  while (length > 0 && sought.charCodeAt(length) !== code) length = borders[length] ?? 0;
  return sought.charCodeAt(length) === code ? length + 1 : length;
}

/**
 * For each prefix length, returns the length of the longest proper prefix that is also a suffix.
 */
export function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  let length = 0;
  for (let i = 1; i < text.length; i += 1) {
    length = extendMatch(text, borders, length, text.charCodeAt(i));
    borders[i + 1] = length;
  }
  return borders;
}
