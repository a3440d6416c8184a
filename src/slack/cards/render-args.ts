/** Arguments as data: one piece each, whole, with its type in the label (none for a text) and its text as it is. */
import type { JsonValue } from '../../domain/json.ts';
import type { Tool } from '../../domain/tool.ts';
import { isSecretPath, maskTokens } from './mask-secrets.ts';
import { toVisible } from './visible-text.ts';

/** One thing shown as data: a label of ours, and its text with everything in it visible. */
export interface DataPiece {
  readonly label: string;
  /** Empty when the label says it all. */
  readonly text: string;
  /** How many characters had to be made visible, how many secrets are left out. */
  readonly hidden: number;
  readonly masked: number;
}

/** What of a tool says how its arguments are shown. */
export type ArgsLook = Pick<Tool, 'schema' | 'secrets'>;

/** Makes the pieces of a call's arguments, in the order in which the tool names them, as its form does. */
export function renderArgs(argsText: string, look: ArgsLook | undefined): readonly DataPiece[] {
  const args = JSON.parse(argsText) as JsonValue;
  const secrets = look?.secrets ?? [];
  if (!isObject(args)) return [renderPiece('arguments', args, [], secrets)];
  const keys = inOrder(Object.keys(args), look?.schema.properties);
  if (keys.length === 0) return [{ label: 'No arguments', text: '', hidden: 0, masked: 0 }];
  return keys.map((key) => renderPiece(key, args[key] ?? null, [key], secrets));
}

function inOrder(keys: readonly string[], properties: JsonValue | undefined): readonly string[] {
  const named = Object.keys(properties ?? {}).filter((key) => keys.includes(key));
  return [...named, ...keys.filter((key) => !named.includes(key))];
}

/** Makes the piece of a text that is not an argument: a preview, a result, an answer. */
export function renderText(label: string, text: string, secrets: readonly string[]): DataPiece {
  const { text: safe, masked } = maskTokens(text, secrets);
  const { text: visible, hidden } = toVisible(safe);
  return { label, text: visible, hidden, masked };
}

const PLAIN_KEY = /^[A-Za-z0-9_.-]{1,60}$/;

function renderPiece(
  key: string,
  value: JsonValue,
  path: readonly string[],
  secrets: readonly string[],
): DataPiece {
  const piece = isSecretPath(path, secrets)
    ? { label: 'secret, not shown', text: '', hidden: 0, masked: 1 }
    : renderValue(value, path, secrets);
  if (PLAIN_KEY.test(key)) return { ...piece, label: joinLabel(key, piece.label) };
  const name = renderText('', JSON.stringify(key), []);
  return {
    label: joinLabel('an argument with a name of its own', piece.label),
    text: piece.text === '' ? name.text : `${name.text}\n${piece.text}`,
    hidden: piece.hidden + name.hidden,
    masked: piece.masked + name.masked,
  };
}

function joinLabel(key: string, type: string): string {
  return type === '' ? key : `${key} · ${type}`;
}

function renderValue(
  value: JsonValue,
  path: readonly string[],
  secrets: readonly string[],
): DataPiece {
  const bare = (label: string): DataPiece => ({ label, text: '', hidden: 0, masked: 0 });
  if (value === null) return bare('null');
  if (value === '') return bare('empty text');
  if (typeof value === 'string') return renderText('', value, []);
  if (typeof value === 'boolean') return { ...bare('true or false'), text: String(value) };
  if (typeof value === 'number') return { ...bare('number'), text: JSON.stringify(value) };
  const size = Object.keys(value).length;
  const isList = Array.isArray(value);
  if (size === 0) return bare(isList ? 'empty list' : 'empty object');
  const printed = printJson(value, path, secrets);
  const { text, hidden } = toVisible(printed.text);
  const label = isList ? `list of ${size}` : `object of ${size}`;
  return { label, text, hidden, masked: printed.masked };
}

/** Prints JSON over several lines; a secret stands without quotes, as no JSON text does. */
function printJson(
  value: JsonValue,
  path: readonly (string | number)[],
  secrets: readonly string[],
  indent = '',
): { readonly text: string; readonly masked: number } {
  if (isSecretPath(path, secrets)) return { text: '⟨secret, not shown⟩', masked: 1 };
  if (typeof value !== 'object' || value === null) return maskTokens(JSON.stringify(value));
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return { text: isList ? '[]' : '{}', masked: 0 };
  const deeper = `${indent}  `;
  let masked = 0;
  const lines = entries.map(([key, each]) => {
    const step = isList ? Number(key) : key;
    const printed = printJson(each, [...path, step], secrets, deeper);
    masked += printed.masked;
    return `${deeper}${isList ? '' : `${JSON.stringify(key)}: `}${printed.text}`;
  });
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return { text: `${open}\n${lines.join(',\n')}\n${indent}${close}`, masked };
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
