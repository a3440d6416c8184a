/** Renders arguments as data, in full, so that no two different values look the same. */
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
import { propertyNamesOf } from '../../schema/resolve-schema.ts';
import { type ArgumentLabel, type ArgumentLabels, argumentLabelsOf } from './argument-labels.ts';
import { type FormattedList, formatList, schemaAt } from './format-list.ts';
import { formatScalar, type TextStyle, textStyleOf } from './format-scalar.ts';
import { printJson } from './print-json.ts';

/** One value shown as data: our label, and its text with invisible characters escaped. */
export interface ShownArgument {
  readonly label: string;
  /** The key, as escaped JSON, of an argument that the schema does not declare. It is data too. */
  readonly name?: string;
  /** Empty if the label says it all. */
  readonly text: string;
  readonly set: TextStyle;
  /** The kind of value, if the text alone does not show it. */
  readonly type?: string;
  /** The same line by line, if it has few and short parts. */
  readonly list?: FormattedList;
  /** The key of the argument. */
  readonly key?: string;
  /** Set for values that are not arguments. */
  readonly part?: 'preview' | 'choice';
  /** How many invisible characters were escaped. */
  readonly hidden: number;
  readonly secrets: SecretCounts;
  /** How many levels of lists and objects it has. */
  readonly depth: number;
  /** The parts that are not our own text, which may contain look-alikes. */
  readonly foreign: string;
}

/** The parts of a tool that affect how its arguments are shown. */
export type ArgumentsContext = Pick<Tool, 'schema' | 'secrets' | 'server' | 'previewed'>;

/** Renders a call's arguments, in the order of the tool's schema, like its form. */
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
  if (keys.length === 0) return [labelOnly('No arguments')];
  return keys.map((key) => renderPiece({ key, value: args[key] ?? null }, view, known, names));
}

function inOrder(keys: readonly string[], properties: readonly string[]): readonly string[] {
  const named = properties.filter((key) => keys.includes(key));
  return [...named, ...keys.filter((key) => !named.includes(key))];
}

function labelOnly(label: string): ShownArgument {
  return { label, text: '', set: 'plain', hidden: 0, secrets: NO_SECRETS, depth: 0, foreign: '' };
}

/** Renders a text that is not an argument: a preview, a result, an answer. */
export function renderText(label: string, text: string, masking: Masking): ShownArgument {
  return { ...renderMasked(label, maskText(text, masking)), set: textStyleOf(text) };
}

function renderMasked(label: string, { parts, secrets }: MaskedText): ShownArgument {
  return { ...renderParts(label, parts), secrets };
}

function renderParts(label: string, parts: readonly string[]): ShownArgument {
  const foreign = parts.filter((_, i) => i % 2 === 0).join(' ');
  return { ...labelOnly(label), ...toVisibleParts(parts), foreign };
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
  const context = { path: [key], view, schema: schemaAt(schema, key), known };
  const piece = { ...(renderSecret(value, context) ?? renderValue(value, context)), key };
  // A key that the schema does not declare may be invented by the agent.
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

/** What is known about a value besides itself. */
interface ValueContext {
  readonly path: readonly string[];
  readonly view: Masking;
  readonly schema: ArgumentsContext['schema'];
  readonly known: ArgumentLabel | undefined;
}

function renderSecret(value: JsonValue, context: ValueContext): ShownArgument | undefined {
  const own = secretArgument(context.path, value, context.view);
  if (own?.kind === 'masked') return { ...labelOnly(own.words), secrets: own.secrets };
  if (own === undefined) return undefined;
  const piece = renderValue(value, { ...context, view: own.masking });
  return { ...piece, secrets: addCounts(own.secrets, piece.secrets) };
}

function renderValue(value: JsonValue, context: ValueContext): ShownArgument {
  const shown = formatScalar(value, { isText: context.known?.isText ?? false });
  if (shown === undefined) return renderNested(value, context);
  if (shown.set === 'ours') {
    return { ...labelOnly(''), text: shown.text, set: 'ours', depth: depthOf(value) };
  }
  const label = typeof value === 'string' ? describeEnds(value) : '';
  return { ...renderMasked(label, maskArgument(shown.text, context.view)), set: shown.set };
}

function renderNested(value: JsonValue, { path, view, schema }: ValueContext): ShownArgument {
  const size = Object.keys(value ?? {}).length;
  const type = Array.isArray(value) ? `list of ${size}` : `group of ${size}`;
  const piece = renderMasked('', printJson(value, path, view));
  const list = piece.secrets === NO_SECRETS ? formatList(value, schema) : undefined;
  return { ...piece, type, set: 'box', depth: depthOf(value), ...(list && { list }) };
}

/** Line breaks at the start and end of a text are invisible. */
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
