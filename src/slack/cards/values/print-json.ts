import type { JsonValue } from '../../../domain/json/json.ts';
import {
  addCounts,
  type MaskedText,
  type Masking,
  maskArgument,
  NO_SECRETS,
  secretArgument,
} from '../../../domain/secrets/mask-secrets.ts';

/** JSON up to this length is printed on one line. */
const MAX_LINE = 60;
const MAX_TRIED = 1_000;

/** Prints JSON with its secrets masked. Masks have no quotes, unlike any JSON text. */
export function printJson(
  value: JsonValue,
  path: readonly (string | number)[],
  view: Masking,
): MaskedText {
  // Once masked, a longer value may fit one line, but printing it twice would be slow.
  if (JSON.stringify(value).length > MAX_TRIED) return print(value, path, view, '');
  const line = print(value, path, view, undefined);
  const length = line.parts.reduce((sum, part) => sum + part.length, 0);
  return length <= MAX_LINE ? line : print(value, path, view, '');
}

/** Prints on one line if `indent` is undefined. */
function print(
  value: JsonValue,
  path: readonly (string | number)[],
  view: Masking,
  indent: string | undefined,
): MaskedText {
  const own = secretArgument(path, value, view);
  if (own?.kind === 'masked') return { parts: ['', `⟨${own.words}⟩`, ''], secrets: own.secrets };
  if (own)
    return join([{ ...plain(''), secrets: own.secrets }, print(value, path, own.masking, indent)]);
  if (typeof value !== 'object' || value === null) {
    return maskArgument(JSON.stringify(value), view);
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const entries: readonly (readonly [string, JsonValue])[] = Object.entries(value);
  if (entries.length === 0) return plain(`${open}${close}`);
  const deeper = indent === undefined ? undefined : `${indent}  `;
  const pad = deeper === undefined ? '' : `\n${deeper}`;
  const items = entries.flatMap(([key, each], i) => [
    plain(`${i === 0 ? '' : `,${deeper === undefined ? ' ' : ''}`}${pad}`),
    ...(isList ? [] : [maskArgument(JSON.stringify(key), view), plain(': ')]),
    print(each, [...path, isList ? Number(key) : key], view, deeper),
  ]);
  return join([
    plain(open),
    ...items,
    plain(`${indent === undefined ? '' : `\n${indent}`}${close}`),
  ]);
}

function plain(text: string): MaskedText {
  return { parts: [text], secrets: NO_SECRETS };
}

function join(texts: readonly MaskedText[]): MaskedText {
  const parts: string[] = [''];
  let secrets = NO_SECRETS;
  for (const text of texts) {
    const [first = '', ...rest] = text.parts;
    parts.push(`${parts.pop() ?? ''}${first}`, ...rest);
    if (text.secrets !== NO_SECRETS) secrets = addCounts(secrets, text.secrets);
  }
  return { parts, secrets };
}
