/** Finds one text in another (Knuth–Morris–Pratt), however alike the two are: each character is looked at once. */

/** Finds the first places of a text in another one, those that overlap included. */
export function findSubstrings(text: string, sought: string, most: number): readonly number[] {
  return matchEndsIn(text, sought, bordersOf(sought), most).map((end) => end - sought.length);
}

/** Finds where a text ends in another one, of all places or the first; `borders` are the text's own. */
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

/** How much of a text is matched after one more character. */
function extendMatch(sought: string, borders: Int32Array, matched: number, code: number): number {
  let length = matched;
  // Past its end stands no character.
  while (length > 0 && sought.charCodeAt(length) !== code) length = borders[length] ?? 0;
  return sought.charCodeAt(length) === code ? length + 1 : length;
}

/** For each length of a text's beginning, the length of the longest proper beginning that it also ends with. */
export function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  let length = 0;
  for (let i = 1; i < text.length; i += 1) {
    length = extendMatch(text, borders, length, text.charCodeAt(i));
    borders[i + 1] = length;
  }
  return borders;
}
