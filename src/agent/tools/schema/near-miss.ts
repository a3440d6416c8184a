import leven from 'leven';

/** Words that schemas carry as notes, though a keyword is spelled much like them. */
const NOTES: ReadonlySet<string> = new Set(['container', 'multiple']);
/** What people write for a keyword of another name. */
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

/** Finds the word that was probably meant by one that is not known; undefined for a word of its own. */
export function findNearMiss(word: string, known: readonly string[]): string | undefined {
  const plain = toPlain(word);
  if (word.startsWith('x-') || word.length > LONGEST || NOTES.has(plain)) return undefined;
  const synonym = Object.hasOwn(SYNONYMS, plain) ? SYNONYMS[plain] : undefined;
  if (synonym !== undefined && known.includes(synonym)) return synonym;
  return known.find((each) => isNear(plain, toPlain(each)));
}

/** Without what is often written otherwise: case, and the signs between words. */
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

/** Whether two neighbouring letters stand the other way round. */
function isSwapped(word: string, known: string): boolean {
  return [...word].sort().join('') === [...known].sort().join('');
}
