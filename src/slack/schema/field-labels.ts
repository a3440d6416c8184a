/**
 * Field labels and hints from the tool's schema: readable, short, with invisible characters
 * escaped.
 */
import type { JsonValue } from '../../domain/json/json.ts';
import { toVisible } from '../../domain/text/visible-text.ts';
import { type Schema, typeOf, valuesOf } from './resolve-schema.ts';

const MAX_LABEL = 100;
const MAX_HINT = 240;

/** Truncates a text, never within a character. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Longer texts are cut anyway, so the rest need not be processed. */
const MAX_SCANNED = 2_000;

/** Puts an untrusted text on one line, with invisible characters escaped. */
export function toPlainLine(text: string, max: number): string {
  const line = truncateText(text, MAX_SCANNED).replace(/\s+/g, ' ').trim();
  return truncateText(toVisible(line).text, max);
}

const ACRONYMS: ReadonlySet<string> = new Set([
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

/** Turns a property name into words: `orderId` and `order_id` become “Order ID”. */
export function toLabelWords(key: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_.-]*$/.test(key)) return toPlainLine(key, MAX_LABEL) || '(no name)';
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter((word) => word !== '')
    .map((word) => (ACRONYMS.has(word.toLowerCase()) ? word.toUpperCase() : lower(word)));
  const text = words.join(' ');
  return truncateText(`${text.charAt(0).toUpperCase()}${text.slice(1)}`, MAX_LABEL);
}

function lower(word: string): string {
  return /^[A-Z]+[0-9]*$/.test(word) && word.length > 1 ? word : word.toLowerCase();
}

/**
 * Returns a property's label: its title, plus its name if that differs, since the card shows the
 * name.
 */
export function fieldLabelOf(key: string, { title }: Schema): string {
  const words = toLabelWords(key);
  const titleText = typeof title === 'string' ? toPlainLine(title, MAX_LABEL) : '';
  if (titleText === '' || lettersOf(titleText) === lettersOf(key))
    return titleText === '' ? words : titleText;
  // Keep the name, however long the title is.
  const name = ` (${toPlainLine(key, 40)})`;
  return `${truncateText(titleText, MAX_LABEL - name.length)}${name}`;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the tool author's description of a property. */
export function describeField({ description }: Schema): string {
  return typeof description === 'string' ? toPlainLine(description, MAX_HINT) : '';
}

/** Joins the parts of a hint; empty if there are none. */
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

/** Names the variants of a union, each differently. */
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
