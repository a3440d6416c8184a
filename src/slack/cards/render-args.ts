/** Arguments as data: one piece each, whole, with its type in the label (none for a text) and its text as it is. */
import { type JsonValue, readStoredJson } from '../../domain/json.ts';
import { isSecretPath } from '../../domain/secret-paths.ts';
import type { Tool } from '../../domain/tool.ts';
import { toVisibleParts } from '../../domain/visible-text.ts';
import { propertyNamesOf } from '../forms/json-schema.ts';
import { findLookAlikes, type LookAlike } from './look-alikes.ts';
import { type ArgsView, type Masking, maskTokens, saySecret } from './mask-secrets.ts';
import { printJson } from './print-json.ts';

/** One thing shown as data: a label of ours, and its text with everything in it visible. */
export interface DataPiece {
  readonly label: string;
  /** The name of an argument that no schema names, as JSON with everything in it visible: it is data too. */
  readonly name?: string;
  /** Empty when the label says it all. */
  readonly text: string;
  /** How many characters had to be made visible, how many secrets are left out. */
  readonly hidden: number;
  readonly masked: number;
  /** How many texts are left out because they look like secrets. */
  readonly guessed: number;
  /** How many levels of lists and objects the value has. */
  readonly depth: number;
  readonly lookAlikes: readonly LookAlike[];
}

/** What of a tool says how its arguments are shown. */
export type ArgsLook = Pick<Tool, 'schema' | 'secrets'>;

/** Makes the pieces of a call's arguments, in the order in which the tool names them, as its form does. */
export function renderArgs(
  argsText: string,
  schema: ArgsLook['schema'] | undefined,
  view: ArgsView,
): readonly DataPiece[] {
  const args = readStoredJson(argsText);
  if (!isObject(args)) return [renderPiece({ key: 'arguments', isNamed: true, value: args }, view)];
  const properties = schema === undefined ? [] : propertyNamesOf(schema);
  const keys = inOrder(Object.keys(args), properties);
  if (keys.length === 0) return [bare('No arguments')];
  return keys.map((key) =>
    renderPiece({ key, isNamed: properties.includes(key), value: args[key] ?? null }, view),
  );
}

function inOrder(keys: readonly string[], properties: readonly string[]): readonly string[] {
  const named = properties.filter((key) => keys.includes(key));
  return [...named, ...keys.filter((key) => !named.includes(key))];
}

function bare(label: string): DataPiece {
  return { label, text: '', hidden: 0, masked: 0, guessed: 0, depth: 0, lookAlikes: [] };
}

/** Makes the piece of a text that is not an argument: a preview, a result, an answer. */
export function renderText(label: string, text: string, masking: Masking): DataPiece {
  const { parts, masked, guessed } = maskTokens(text, masking);
  return { ...renderParts(label, parts), masked, guessed };
}

function renderParts(label: string, parts: readonly string[]): DataPiece {
  const kept = parts.filter((_, i) => i % 2 === 0).join(' ');
  return { ...bare(label), ...toVisibleParts(parts), lookAlikes: findLookAlikes(kept) };
}

const MAX_NAME = 100;
const LONG_NAME = 'an argument with a long name, then its value';
const PLAIN_KEY = /^[A-Za-z0-9_.-]{1,60}$/;

interface Argument {
  readonly key: string;
  /** Whether the tool's schema names it; any other name may have been made up by the agent. */
  readonly isNamed: boolean;
  readonly value: JsonValue;
}

function renderPiece({ key, isNamed, value }: Argument, view: ArgsView): DataPiece {
  const piece = isSecretPath([key], view.paths)
    ? { ...bare(saySecret(value, view.masking.mark)), masked: 1 }
    : renderValue(value, [key], view);
  if (isNamed && PLAIN_KEY.test(key)) {
    return { ...piece, label: piece.label === '' ? key : `${key} · ${piece.label}` };
  }
  const name = renderText('', JSON.stringify(key), view.masking);
  const isLong = name.text.length > MAX_NAME;
  const type = piece.label === '' ? '' : ` · ${piece.label}`;
  return {
    ...piece,
    ...(isLong
      ? { label: `${LONG_NAME}${type}`, text: `${name.text}\n${piece.text}` }
      : { name: name.text }),
    hidden: piece.hidden + name.hidden,
    masked: piece.masked + name.masked,
    guessed: piece.guessed + name.guessed,
    lookAlikes: [...name.lookAlikes, ...piece.lookAlikes],
  };
}

function renderValue(value: JsonValue, path: readonly string[], view: ArgsView): DataPiece {
  if (value === null) return bare('null');
  if (value === '') return bare('empty text');
  if (typeof value === 'string') return renderText('', value, view.masking);
  if (typeof value === 'boolean') return { ...bare('true or false'), text: String(value) };
  if (typeof value === 'number') return { ...bare('number'), text: JSON.stringify(value) };
  const size = Object.keys(value).length;
  const isList = Array.isArray(value);
  if (size === 0) return { ...bare(isList ? 'empty list' : 'empty object'), depth: 1 };
  const { parts, masked, guessed } = printJson(value, path, view);
  const label = isList ? `list of ${size}` : `object of ${size}`;
  return { ...renderParts(label, parts), masked, guessed, depth: depthOf(value) };
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((each: JsonValue) => depthOf(each)));
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
