import leven from 'leven';

/** Common annotations that are spelled like a keyword. */
const NOTES: ReadonlySet<string> = new Set(['container', 'multiple']);
/** Wrong names that people write for keywords. */
const SYNONYMS: Readonly<Record<string, string>> = {
  exclusivemax: 'exclusiveMaximum',
  exclusivemin: 'exclusiveMinimum',
  max: 'maximum',
  maxlen: 'maxLength',
  maxvalue: 'maximum',
  min: 'minimum',
  minlen: 'minLength',
  minvalue: 'minimum',
  ref: '$ref',
  regex: 'pattern',
  regexp: 'pattern',
};
const SHORT = 5;
const LONG = 8;
const LONGEST = 30;

/** Finds the known word that an unknown one probably misspells; undefined if there is none. */
export function findNearMiss(word: string, known: readonly string[]): string | undefined {
  const plain = toPlain(word);
  if (word.startsWith('x-') || word.length > LONGEST || NOTES.has(plain)) return undefined;
  const synonym = Object.hasOwn(SYNONYMS, plain) ? SYNONYMS[plain] : undefined;
  if (synonym !== undefined && known.includes(synonym)) return synonym;
  return known.find((each) => isNear(plain, toPlain(each)));
}

/** Removes case and word separators, which often differ. */
function toPlain(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_$-]/g, '');
}

function isNear(word: string, known: string): boolean {
  if (word === known) return true;
  const shorter = Math.min(word.length, known.length);
  if (Math.abs(word.length - known.length) > 1 || shorter < SHORT - 1) return false;
  const distance = leven(word, known);
  if (distance === 2 && isSwapped(word, known)) return true;
  if (shorter < SHORT) return word === `${known}s`;
  return distance === 1 || (distance === 2 && shorter >= LONG);
}

/** Returns whether the words have the same letters in another order. */
function isSwapped(word: string, known: string): boolean {
  return [...word].sort().join('') === [...known].sort().join('');
}
