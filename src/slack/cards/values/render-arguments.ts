/** Arguments as data: one piece each, whole, and no two values alike. */
import { type JsonValue, readStoredJson } from '../../../domain/json/json.ts';
import {
  addCounts,
  type MaskedText,
  type Masking,
  maskArgument,
  maskText,
  NO_SECRETS,
  type SecretCounts,
  secretArgument,
} from '../../../domain/secrets/mask-secrets.ts';
import { toVisibleParts } from '../../../domain/text/visible-text.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import { propertyNamesOf } from '../../forms/plan/resolve-schema.ts';
import { type ArgumentLabel, type ArgumentLabels, argumentLabelsOf } from './argument-labels.ts';
import { type FormattedList, formatList, schemaAt } from './format-list.ts';
import { formatScalar, type TextStyle, textStyleOf } from './format-scalar.ts';
import { printJson } from './print-json.ts';

/** One thing shown as data: a label of ours, and its text with everything in it visible. */
export interface ShownArgument {
  readonly label: string;
  /** The name of an argument that no schema names, as JSON with everything in it visible: it is data too. */
  readonly name?: string;
  /** Empty when the label says it all. */
  readonly text: string;
  /** How the text is set. */
  readonly set: TextStyle;
  /** What kind of value it is, where the text alone does not say. */
  readonly type?: string;
  /** The same line by line, where it has few and short parts. */
  readonly list?: FormattedList;
  /** The key of the argument. */
  readonly key?: string;
  /** What it is, where it is no argument. */
  readonly part?: 'preview' | 'choice';
  /** How many characters had to be made visible. */
  readonly hidden: number;
  readonly secrets: SecretCounts;
  /** How many levels of lists and objects the value has. */
  readonly depth: number;
  /** What of it is not ours: things in it may look like others. */
  readonly foreign: string;
}

/** What of a tool says how its arguments are shown. */
export type ArgumentsContext = Pick<Tool, 'schema' | 'secrets' | 'server' | 'previewed'>;

/** Makes the pieces of a call's arguments, in the order in which the tool names them, as its form does. */
export function renderArguments(
  argsText: string,
  schema: ArgumentsContext['schema'] | undefined,
  view: Masking,
  { usesTitles = false }: { readonly usesTitles?: boolean } = {},
): readonly ShownArgument[] {
  const args = readStoredJson(argsText);
  if (!isObject(args)) return [renderPiece({ key: 'arguments', value: args }, view, {}, new Map())];
  const known = schema ?? {};
  const names: ArgumentLabels = argumentLabelsOf(known, { usesTitles });
  const keys = inOrder(Object.keys(args), propertyNamesOf(known));
  if (keys.length === 0) return [bare('No arguments')];
  return keys.map((key) => renderPiece({ key, value: args[key] ?? null }, view, known, names));
}

function inOrder(keys: readonly string[], properties: readonly string[]): readonly string[] {
  const named = properties.filter((key) => keys.includes(key));
  return [...named, ...keys.filter((key) => !named.includes(key))];
}

function bare(label: string): ShownArgument {
  return { label, text: '', set: 'plain', hidden: 0, secrets: NO_SECRETS, depth: 0, foreign: '' };
}

/** Makes the piece of a text that is not an argument: a preview, a result, an answer. */
export function renderText(label: string, text: string, masking: Masking): ShownArgument {
  return { ...renderMasked(label, maskText(text, masking)), set: textStyleOf(text) };
}

function renderMasked(label: string, { parts, secrets }: MaskedText): ShownArgument {
  return { ...renderParts(label, parts), secrets };
}

function renderParts(label: string, parts: readonly string[]): ShownArgument {
  const foreign = parts.filter((_, i) => i % 2 === 0).join(' ');
  return { ...bare(label), ...toVisibleParts(parts), foreign };
}

const MAX_NAME = 100;
const LONG_NAME = 'an argument with a long name, then its value';

interface Argument {
  readonly key: string;
  readonly value: JsonValue;
}

function renderPiece(
  { key, value }: Argument,
  view: Masking,
  schema: ArgumentsContext['schema'],
  names: ArgumentLabels,
): ShownArgument {
  const known = names.get(key);
  const look = { path: [key], view, schema: schemaAt(schema, key), known };
  const piece = { ...(renderSecret(value, look) ?? renderValue(value, look)), key };
  // Any other name may have been made up by the agent.
  if (known !== undefined) {
    return {
      ...piece,
      label: [known.label, piece.label].filter((each) => each !== '').join(' · '),
    };
  }
  const name = renderMasked('', maskArgument(JSON.stringify(key), view));
  const isLong = name.text.length > MAX_NAME;
  const { list: _list, set, ...unlisted } = piece;
  const label = [LONG_NAME, piece.label].filter((each) => each !== '').join(' · ');
  return {
    ...(isLong
      ? // It contains the name, so it is no longer our own text.
        {
          ...unlisted,
          label,
          text: `${name.text}\n${piece.text}`,
          set: set === 'ours' ? 'plain' : set,
        }
      : { ...piece, name: name.text }),
    hidden: piece.hidden + name.hidden,
    secrets: addCounts(piece.secrets, name.secrets),
    foreign: `${name.foreign}\n${piece.foreign}`,
  };
}

/** What is known of a value besides itself. */
interface ValueLook {
  readonly path: readonly string[];
  readonly view: Masking;
  readonly schema: ArgumentsContext['schema'];
  readonly known: ArgumentLabel | undefined;
}

function renderSecret(value: JsonValue, look: ValueLook): ShownArgument | undefined {
  const own = secretArgument(look.path, value, look.view);
  if (own?.kind === 'masked') return { ...bare(own.words), secrets: own.secrets };
  if (own === undefined) return undefined;
  const piece = renderValue(value, { ...look, view: own.masking });
  return { ...piece, secrets: addCounts(own.secrets, piece.secrets) };
}

function renderValue(value: JsonValue, look: ValueLook): ShownArgument {
  const shown = formatScalar(value, { isText: look.known?.isText ?? false });
  if (shown === undefined) return renderParted(value, look);
  if (shown.set === 'ours') {
    return { ...bare(''), text: shown.text, set: 'ours', depth: depthOf(value) };
  }
  const label = typeof value === 'string' ? describeEnds(value) : '';
  return { ...renderMasked(label, maskArgument(shown.text, look.view)), set: shown.set };
}

function renderParted(value: JsonValue, { path, view, schema }: ValueLook): ShownArgument {
  const size = Object.keys(value ?? {}).length;
  const type = Array.isArray(value) ? `list of ${size}` : `group of ${size}`;
  const piece = renderMasked('', printJson(value, path, view));
  const list = piece.secrets === NO_SECRETS ? formatList(value, schema) : undefined;
  return { ...piece, type, set: 'box', depth: depthOf(value), ...(list && { list }) };
}

/** Line breaks at the ends of a text can't be seen on the screen. */
function describeEnds(text: string): string {
  const [first = ''] = /^\n+/.exec(text) ?? [];
  const [last = ''] = first === text ? [] : (/(?<!\n)\n+$/.exec(text) ?? []);
  return [describeBreaks('begins', first.length), describeBreaks('ends', last.length)]
    .filter((each) => each !== '')
    .join(', ');
}

function describeBreaks(verb: string, breaks: number): string {
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
