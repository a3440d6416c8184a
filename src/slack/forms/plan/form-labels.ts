/** Names and hints of fields: from the tool's schema, made readable, visible and short. */
import type { JsonValue } from '../../../domain/json/json.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { type Schema, typeOf, valuesOf } from './resolve-schema.ts';

const MAX_LABEL = 100;
const MAX_HINT = 240;

/** Cuts a text at a length, never within a character. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** More is not looked at: a line is shorter. */
const LOOKED_AT = 2_000;

/** Makes an untrusted text one plain line. */
export function toPlainLine(text: string, max: number): string {
  const line = truncateText(text, LOOKED_AT).replace(/\s+/g, ' ').trim();
  return truncateText(toVisible(line).text, max);
}

const INITIALS: ReadonlySet<string> = new Set([
  'id',
  'url',
  'uri',
  'ip',
  'cc',
  'bcc',
  'cpu',
  'api',
  'sku',
  'iban',
  'vat',
  'html',
  'pdf',
  'dns',
  'ssh',
  'mb',
  'gb',
  'kb',
  'ttl',
  'http',
  'json',
  'sql',
  'db',
]);

/** Writes the name of a property as people write: `orderId` and `order_id` become “Order ID”. */
export function toLabelWords(key: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_.-]*$/.test(key)) return toPlainLine(key, MAX_LABEL) || '(no name)';
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => (INITIALS.has(word.toLowerCase()) ? word.toUpperCase() : lower(word)));
  const text = words.join(' ');
  return truncateText(`${text.charAt(0).toUpperCase()}${text.slice(1)}`, MAX_LABEL);
}

function lower(word: string): string {
  return /^[A-Z]+[0-9]*$/.test(word) && word.length > 1 ? word : word.toLowerCase();
}

/** Names a property: by its title, with the name that the card shows where that is another word. */
export function fieldLabelOf(key: string, { title }: Schema): string {
  const words = toLabelWords(key);
  const said = typeof title === 'string' ? toPlainLine(title, MAX_LABEL) : '';
  if (said === '' || letters(said) === letters(key)) return said === '' ? words : said;
  // However long the title is, the name stays.
  const name = ` (${toPlainLine(key, 40)})`;
  return `${truncateText(said, MAX_LABEL - name.length)}${name}`;
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Says what a property is for, in the words of the tool's author. */
export function describeField({ description }: Schema): string {
  return typeof description === 'string' ? toPlainLine(description, MAX_HINT) : '';
}

/** Joins what is said of a field to one hint; empty when there is nothing to say. */
export function joinHints(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .map(closeSentence)
    .join(' ');
}

function closeSentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  null: 'Nothing (null)',
  array: 'List',
  object: 'Several values',
};

/** Names the kinds of a union, each differently. */
export function kindNames(
  kinds: readonly Schema[],
  constants: readonly (JsonValue | undefined)[],
): readonly string[] {
  const names = kinds.map((kind, i) => truncateText(kindName(kind, constants[i]), 60));
  return names.map((name, i) =>
    names.filter((each) => each === name).length > 1 ? `${name} (#${i + 1})` : name,
  );
}

function kindName(kind: Schema, constant: JsonValue | undefined): string {
  if (typeof kind.title === 'string' && kind.title.trim() !== '')
    return toPlainLine(kind.title, 60);
  if (typeof constant === 'string' && constant !== '') return toLabelWords(constant);
  if (constant !== undefined) return toPlainLine(JSON.stringify(constant), 60);
  const values = valuesOf(kind);
  if (values !== undefined && kind.type !== 'boolean' && kind.type !== 'null')
    return 'One of a list';
  return TYPE_WORDS[typeOf(kind) ?? ''] ?? 'Something else (JSON)';
}
