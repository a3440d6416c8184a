import type { JsonValue } from '../../domain/json.ts';
import { isSecretPath } from '../../domain/secret-paths.ts';
import { type ArgsView, type MaskedText, maskTokens, saySecret } from './mask-secrets.ts';

/** So much JSON is read at a glance, in one line. */
const MAX_LINE = 60;

/** Prints JSON without its secrets, short JSON in one line; a mask stands without quotes, as no JSON text does. */
export function printJson(
  value: JsonValue,
  path: readonly (string | number)[],
  view: ArgsView,
): MaskedText {
  const line = print(value, path, view, undefined);
  const length = line.parts.reduce((sum, part) => sum + part.length, 0);
  return length <= MAX_LINE ? line : print(value, path, view, '');
}

/** `indent` is undefined where all of it goes in one line. */
function print(
  value: JsonValue,
  path: readonly (string | number)[],
  view: ArgsView,
  indent: string | undefined,
): MaskedText {
  if (isSecretPath(path, view.paths)) {
    return { parts: ['', `⟨${saySecret(value, view.masking.mark)}⟩`, ''], masked: 1, guessed: 0 };
  }
  if (typeof value !== 'object' || value === null) {
    return maskTokens(JSON.stringify(value), view.masking);
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const entries: readonly (readonly [string, JsonValue])[] = Object.entries(value);
  if (entries.length === 0) return plain(`${open}${close}`);
  const deeper = indent === undefined ? undefined : `${indent}  `;
  const pad = deeper === undefined ? '' : `\n${deeper}`;
  const items = entries.flatMap(([key, each], i) => [
    plain(`${i === 0 ? '' : `,${deeper === undefined ? ' ' : ''}`}${pad}`),
    ...(isList ? [] : [maskTokens(JSON.stringify(key), view.masking), plain(': ')]),
    print(each, [...path, isList ? Number(key) : key], view, deeper),
  ]);
  return join([
    plain(open),
    ...items,
    plain(`${indent === undefined ? '' : `\n${indent}`}${close}`),
  ]);
}

function plain(text: string): MaskedText {
  return { parts: [text], masked: 0, guessed: 0 };
}

function join(texts: readonly MaskedText[]): MaskedText {
  const parts: string[] = [''];
  let masked = 0;
  let guessed = 0;
  for (const text of texts) {
    const [first = '', ...rest] = text.parts;
    parts.push(`${parts.pop() ?? ''}${first}`, ...rest);
    masked += text.masked;
    guessed += text.guessed;
  }
  return { parts, masked, guessed };
}
