/** One-line summaries of calls, from the tool, its preview or its arguments. */
import type { Call } from '../calls/call.ts';
import { type MaskedCall, maskingOfCall } from '../calls/call-secrets.ts';
import { UNSEEN_BASIS, WOULD_FAIL_PREFIX } from '../calls/stored-preview.ts';
import { isJsonObject, type JsonValue, readStoredJson } from '../json/json.ts';
import { type Masking, maskText, secretAt } from '../secrets/mask-secrets.ts';
import { type SecretsOfTool, secretPathsOfCall } from '../secrets/secret-paths.ts';
import { secretTextsAt, shortSecretValuesAt } from '../secrets/secret-texts.ts';
import type { Preview, Tool } from '../tools/tool.ts';
import { isThirdParty, toolTitle, toSingleLine, truncateLine } from './call-name.ts';

/** The facts needed to summarize a call. */
export interface SummaryFacts {
  readonly call: MaskedCall;
  readonly tool: Pick<Tool, 'name' | 'schema' | 'secrets' | 'server'>;
  readonly args: JsonValue;
  /** Return value of the tool's `summary`. Anything but a string is ignored. */
  readonly said: unknown;
  readonly preview: Preview | undefined;
}

/** Longer texts are not summaries, and searching them for secrets is not worth the time. */
const MAX_SUMMARY_SOURCE = 50_000;

/**
 * Summarizes a call in one line without its secrets. For a third-party tool only our own
 * description is used, if there is one.
 */
export function summarize({ call, tool, args, said, preview }: SummaryFacts): string | undefined {
  const write = createLineWriter(call, tool);
  const own = write(said);
  if (own !== undefined || isThirdParty({ ...call, server: call.server ?? tool.server })) {
    return own;
  }
  const title = toolTitle(tool.name);
  const argument = mainArgument(tool, args, maskingOfCall(call, tool, { reveals: false }));
  return (
    write(sentenceOf(preview)) ??
    (argument === undefined ? undefined : write(`${title}: ${argument}`)) ??
    truncateLine(toSingleLine(title))
  );
}

/**
 * Returns a function that puts texts about a call on one line without its secrets. It returns
 * undefined for other values and for texts that are all secret.
 */
export function createLineWriter(
  call: MaskedCall,
  tool?: SecretsOfTool,
): (text: unknown) => string | undefined {
  const masking = maskingOfCall(call, tool, { reveals: false });
  const short = shortSecretsOf(call, masking);
  return (text) => writeLine(text, masking, short);
}

/** Drops a summary that contains something declared secret later, even if truncated. */
export function withSafeSummary<Summed extends MaskedCall & Pick<Call, 'summary' | 'tool'>>(
  call: Summed,
): Summed {
  const { summary } = call;
  if (summary === undefined) return call;
  const isSafe = createLineWriter(call)(summary) === summary && !endsInSecret(call);
  if (isSafe) return call;
  const { summary: _unsafe, ...rest } = call;
  const isOthers = isThirdParty(call);
  return (
    isOthers ? rest : { ...rest, summary: truncateLine(toSingleLine(toolTitle(call.tool))) }
  ) as Summed;
}

function writeLine(text: unknown, masking: Masking, short: readonly string[]): string | undefined {
  if (typeof text !== 'string' || text.length > MAX_SUMMARY_SOURCE) return undefined;
  const { parts } = maskText(text, masking);
  const ours = parts.filter((_part, i) => i % 2 === 0).join('');
  if (!/[\p{L}\p{N}\p{S}]/u.test(ours)) return undefined;
  // A secret may only match once its white space is normalized, so mask again.
  const line = withMarks(maskText(toSingleLine(withMarks(parts)), masking).parts);
  return short.some((each) => containsSecret(line, each)) ? undefined : truncateLine(line);
}

function withMarks(parts: readonly string[]): string {
  return parts.map((part, i) => (i % 2 === 0 ? part : MASK)).join('');
}

/** Differs from the marks on cards, which would look as if someone else had written them. */
const MASK = '[hidden]';

/** Match short secrets as whole words only, so that ordinary words stay intact. */
function containsSecret(line: string, secret: string): boolean {
  const isWord = /^[\p{L}\p{N}]+$/u.test(secret);
  return isWord ? line.split(/[^\p{L}\p{N}]+/u).includes(secret) : line.includes(secret);
}

function shortSecretsOf(call: MaskedCall, { paths }: Masking): readonly string[] {
  return shortSecretValuesAt(argsOf(call), [...paths.hidden, ...paths.claimed]);
}

function argsOf({ args, proposedArgs }: MaskedCall): readonly JsonValue[] {
  return [...new Set([args, proposedArgs])].map(readStoredJson);
}

function endsInSecret(call: MaskedCall & Pick<Call, 'summary'>): boolean {
  const { summary = '' } = call;
  const paths = secretPathsOfCall(call);
  if (!summary.endsWith('…')) return false;
  const shown = summary.slice(0, -1);
  const texts = secretTextsAt(argsOf(call), [...paths.hidden, ...paths.claimed]);
  return texts.some(({ text }) => {
    const line = toSingleLine(text);
    for (let length = Math.min(line.length, shown.length); length > 0; length -= 1) {
      if (shown.endsWith(line.slice(0, length))) return true;
    }
    return false;
  });
}

/** Returns a preview's first line if it reads as a sentence, not as a diff header or label. */
function sentenceOf(preview: Preview | undefined): string | undefined {
  if (!preview || preview.basis === UNSEEN_BASIS || preview.text.startsWith(WOULD_FAIL_PREFIX))
    return undefined;
  const [first = ''] = preview.text.trimStart().split(/[\r\n\v\f\u0085\u2028\u2029]/u, 1);
  const line = first.trim();
  if (!/^["“„«(]?[\p{Lu}\p{Lt}\p{Lo}\p{N}].*\s\S/u.test(line) || /[:：,;{[(]$/u.test(line)) {
    return undefined;
  }
  return line.replace(/(?<!\.)\.$/, '');
}

/** Returns the first argument that is a word or short text, else a number. Never a secret. */
function mainArgument(
  { schema }: Pick<Tool, 'schema'>,
  args: JsonValue,
  masking: Masking,
): string | undefined {
  if (!isJsonObject(args)) return undefined;
  const { properties, required } = schema;
  const names = isJsonObject(properties) ? Object.keys(properties) : Object.keys(args);
  const needed = Array.isArray(required) ? names.filter((name) => required.includes(name)) : names;
  const values = needed
    .filter((name) => Object.hasOwn(args, name) && secretAt([name], masking) === undefined)
    .map((name) => args[name]);
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
  const number = values.find((value) => typeof value === 'number');
  const found = text ?? number;
  return found === undefined ? undefined : String(found);
}
