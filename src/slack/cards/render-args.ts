/** Arguments as data: one piece each, whole, with its type in the label (none for a text) and its text as it is. */
import type { JsonValue } from '../../domain/json.ts';
import type { Tool } from '../../domain/tool.ts';
import { isSecretPath, type MaskedText, type Masking, maskTokens } from './mask-secrets.ts';
import { toVisible } from './visible-text.ts';

/** One thing shown as data: a label of ours, and its text with everything in it visible. */
export interface DataPiece {
  readonly label: string;
  /** Empty when the label says it all. */
  readonly text: string;
  /** How many characters had to be made visible, how many secrets are left out. */
  readonly hidden: number;
  readonly masked: number;
  /** How many texts are left out because they look like secrets. */
  readonly guessed: number;
}

/** What of a tool says how its arguments are shown. */
export type ArgsLook = Pick<Tool, 'schema' | 'secrets'>;

/** Makes the pieces of a call's arguments, in the order in which the tool names them, as its form does. */
export function renderArgs(
  argsText: string,
  look: ArgsLook | undefined,
  { showsLookAlikes }: Pick<Masking, 'showsLookAlikes'>,
): readonly DataPiece[] {
  const args = JSON.parse(argsText) as JsonValue;
  const view = { paths: look?.secrets ?? [], masking: { secrets: [], showsLookAlikes } };
  if (!isObject(args)) return [renderPiece('arguments', args, [], view)];
  const keys = inOrder(Object.keys(args), look?.schema.properties);
  if (keys.length === 0) return [bare('No arguments')];
  return keys.map((key) => renderPiece(key, args[key] ?? null, [key], view));
}

/** Which paths are secret, and how the texts at the others are masked. */
interface ArgsView {
  readonly paths: readonly string[];
  readonly masking: Masking;
}

function inOrder(keys: readonly string[], properties: JsonValue | undefined): readonly string[] {
  const named = Object.keys(properties ?? {}).filter((key) => keys.includes(key));
  return [...named, ...keys.filter((key) => !named.includes(key))];
}

function bare(label: string): DataPiece {
  return { label, text: '', hidden: 0, masked: 0, guessed: 0 };
}

/** Makes the piece of a text that is not an argument: a preview, a result, an answer. */
export function renderText(label: string, text: string, masking: Masking): DataPiece {
  const { text: safe, ...left } = maskTokens(text, masking);
  return { label, ...toVisible(safe), ...left };
}

const PLAIN_KEY = /^[A-Za-z0-9_.-]{1,60}$/;

function renderPiece(
  key: string,
  value: JsonValue,
  path: readonly string[],
  view: ArgsView,
): DataPiece {
  const piece = isSecretPath(path, view.paths)
    ? { ...bare('secret, not shown'), masked: 1 }
    : renderValue(value, path, view);
  if (PLAIN_KEY.test(key)) return { ...piece, label: joinLabel(key, piece.label) };
  const name = renderText('', JSON.stringify(key), view.masking);
  return {
    label: joinLabel('an argument with a name of its own', piece.label),
    text: piece.text === '' ? name.text : `${name.text}\n${piece.text}`,
    hidden: piece.hidden + name.hidden,
    masked: piece.masked + name.masked,
    guessed: piece.guessed + name.guessed,
  };
}

function joinLabel(key: string, type: string): string {
  return type === '' ? key : `${key} · ${type}`;
}

function renderValue(value: JsonValue, path: readonly string[], view: ArgsView): DataPiece {
  if (value === null) return bare('null');
  if (value === '') return bare('empty text');
  if (typeof value === 'string') return renderText('', value, view.masking);
  if (typeof value === 'boolean') return { ...bare('true or false'), text: String(value) };
  if (typeof value === 'number') return { ...bare('number'), text: JSON.stringify(value) };
  const size = Object.keys(value).length;
  const isList = Array.isArray(value);
  if (size === 0) return bare(isList ? 'empty list' : 'empty object');
  const { text: printed, ...left } = printJson(value, path, view);
  const label = isList ? `list of ${size}` : `object of ${size}`;
  return { label, ...toVisible(printed), ...left };
}

/** Prints JSON over several lines; a secret stands without quotes, as no JSON text does. */
function printJson(
  value: JsonValue,
  path: readonly (string | number)[],
  view: ArgsView,
  indent = '',
): MaskedText {
  if (isSecretPath(path, view.paths)) {
    return { text: '⟨secret, not shown⟩', masked: 1, guessed: 0 };
  }
  if (typeof value !== 'object' || value === null) {
    return maskTokens(JSON.stringify(value), view.masking);
  }
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return { text: isList ? '[]' : '{}', masked: 0, guessed: 0 };
  const deeper = `${indent}  `;
  const left = { masked: 0, guessed: 0 };
  const lines = entries.map(([key, each]) => {
    const step = isList ? Number(key) : key;
    const printed = printJson(each, [...path, step], view, deeper);
    left.masked += printed.masked;
    left.guessed += printed.guessed;
    return `${deeper}${isList ? '' : `${JSON.stringify(key)}: `}${printed.text}`;
  });
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return { text: `${open}\n${lines.join(',\n')}\n${indent}${close}`, ...left };
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
