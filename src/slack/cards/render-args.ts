/** Arguments as data: one piece each, whole, with its type in the label (none for a text) and its text as it is. */
import { type JsonValue, readStoredJson } from '../../domain/json.ts';
import {
  addCounts,
  type MaskedText,
  type Masking,
  maskArgument,
  maskText,
  NO_SECRETS,
  type SecretCounts,
  secretArgument,
} from '../../domain/mask-secrets.ts';
import type { Tool } from '../../domain/tool.ts';
import { toVisibleParts } from '../../domain/visible-text.ts';
import { propertyNamesOf } from '../forms/json-schema.ts';
import { printJson } from './print-json.ts';

/** One thing shown as data: a label of ours, and its text with everything in it visible. */
export interface DataPiece {
  readonly label: string;
  /** The name of an argument that no schema names, as JSON with everything in it visible: it is data too. */
  readonly name?: string;
  /** Empty when the label says it all. */
  readonly text: string;
  /** How many characters had to be made visible. */
  readonly hidden: number;
  readonly secrets: SecretCounts;
  /** How many levels of lists and objects the value has. */
  readonly depth: number;
  /** What of it is not ours: things in it may look like others. */
  readonly foreign: string;
}

/** What of a tool says how its arguments are shown. */
export type ArgsLook = Pick<Tool, 'schema' | 'secrets' | 'server'>;

/** Makes the pieces of a call's arguments, in the order in which the tool names them, as its form does. */
export function renderArgs(
  argsText: string,
  schema: ArgsLook['schema'] | undefined,
  view: Masking,
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
  return { label, text: '', hidden: 0, secrets: NO_SECRETS, depth: 0, foreign: '' };
}

/** Makes the piece of a text that is not an argument: a preview, a result, an answer. */
export function renderText(label: string, text: string, masking: Masking): DataPiece {
  return renderMasked(label, maskText(text, masking));
}

function renderMasked(label: string, { parts, secrets }: MaskedText): DataPiece {
  return { ...renderParts(label, parts), secrets };
}

function renderParts(label: string, parts: readonly string[]): DataPiece {
  const foreign = parts.filter((_, i) => i % 2 === 0).join(' ');
  return { ...bare(label), ...toVisibleParts(parts), foreign };
}

const MAX_NAME = 100;
const LONG_NAME = 'an argument with a long name, then its value';
const PLAIN_KEY = /^[A-Za-z0-9_.-]{1,60}$/;
/** Whoever writes a schema could name an argument as we label our own pieces. */
const OUR_LABELS = /^(?:Tool|Note|Result|Error|Reply|Reason|Difference|arguments)$/;

interface Argument {
  readonly key: string;
  /** Whether the tool's schema names it; any other name may have been made up by the agent. */
  readonly isNamed: boolean;
  readonly value: JsonValue;
}

function renderPiece({ key, isNamed, value }: Argument, view: Masking): DataPiece {
  const piece = renderSecret(key, value, view) ?? renderValue(value, [key], view);
  if (isNamed && PLAIN_KEY.test(key) && !OUR_LABELS.test(key)) {
    return { ...piece, label: piece.label === '' ? key : `${key} · ${piece.label}` };
  }
  const name = renderMasked('', maskArgument(JSON.stringify(key), view));
  const isLong = name.text.length > MAX_NAME;
  const type = piece.label === '' ? '' : ` · ${piece.label}`;
  return {
    ...piece,
    ...(isLong
      ? { label: `${LONG_NAME}${type}`, text: `${name.text}\n${piece.text}` }
      : { name: name.text }),
    hidden: piece.hidden + name.hidden,
    secrets: addCounts(piece.secrets, name.secrets),
    foreign: `${name.foreign}\n${piece.foreign}`,
  };
}

function renderSecret(key: string, value: JsonValue, view: Masking): DataPiece | undefined {
  const own = secretArgument([key], value, view);
  if (own?.kind === 'masked') return { ...bare(own.words), secrets: own.secrets };
  if (own === undefined) return undefined;
  const piece = renderValue(value, [key], own.masking);
  return { ...piece, secrets: addCounts(own.secrets, piece.secrets) };
}

function renderValue(value: JsonValue, path: readonly string[], view: Masking): DataPiece {
  if (value === null) return bare('null');
  if (value === '') return bare('empty text');
  if (typeof value === 'string') return renderMasked(sayEnds(value), maskArgument(value, view));
  if (typeof value === 'boolean') return { ...bare('true or false'), text: String(value) };
  if (typeof value === 'number') {
    return renderMasked('number', maskArgument(JSON.stringify(value), view));
  }
  const size = Object.keys(value).length;
  const isList = Array.isArray(value);
  if (size === 0) return { ...bare(isList ? 'empty list' : 'empty object'), depth: 1 };
  const label = isList ? `list of ${size}` : `object of ${size}`;
  return { ...renderMasked(label, printJson(value, path, view)), depth: depthOf(value) };
}

/** Line breaks at the ends of a text can't be seen on the screen. */
function sayEnds(text: string): string {
  const [first = ''] = /^\n+/.exec(text) ?? [];
  const [last = ''] = first === text ? [] : (/(?<!\n)\n+$/.exec(text) ?? []);
  return [sayBreaks('begins', first.length), sayBreaks('ends', last.length)]
    .filter((each) => each !== '')
    .join(', ');
}

function sayBreaks(verb: string, breaks: number): string {
  if (breaks === 0) return '';
  return `${verb} with ${breaks === 1 ? 'a line break' : `${breaks} line breaks`}`;
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((each: JsonValue) => depthOf(each)));
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
