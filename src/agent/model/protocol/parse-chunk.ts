/** Parses answers of OpenAI-compatible servers, including their deviations from the protocol. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOf,
} from '../../../domain/json/json.ts';
import type { ProviderFields, TokenCount } from '../../../domain/threads/message.ts';
import type { CallChunk } from './answer-chunk.ts';

/** The content of one stream event, or of a whole answer. */
export interface ParsedChunk {
  readonly text: string;
  readonly calls: readonly CallChunk[];
  readonly finishReason: string | undefined;
  readonly tokens: TokenCount | undefined;
  readonly fields: ProviderFields | undefined;
}

/**
 * Fields of the protocol itself. All others belong to the provider and may have to be sent back.
 */
const OWN: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'annotations', 'audio', 'name'],
  ...['obfuscation', 'token_ids', 'logprobs', 'id', 'index', 'type', 'function', 'parsed'],
]);
/** Standard finish reasons. Any unknown one counts as a regular end. */
const KNOWN_REASONS: ReadonlySet<string> = new Set([
  ...['stop', 'tool_calls', 'function_call', 'length', 'content_filter', 'error'],
]);
const REASONS: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  safety: 'content_filter',
  recitation: 'content_filter',
  prohibited_content: 'content_filter',
  blocklist: 'content_filter',
  sensitive: 'content_filter',
  insufficient_system_resource: 'error',
  network_error: 'error',
  malformed_function_call: 'error',
  abort: 'error',
};
/** Stands for an end of the answer without a standard finish reason. */
export const END_REASONS = 'ended';

/** Parses a stream event or a whole answer; returns undefined for anything else. */
export function parseChunk(value: JsonValue): ParsedChunk | undefined {
  if (!isJsonObject(value) || !(Array.isArray(value.choices) || isJsonObject(value.usage)))
    return undefined;
  const choice = listOf(value.choices)[0];
  const {
    delta,
    message,
    finish_reason: reason,
  } = isJsonObject(choice) ? choice : ({} as JsonObject);
  const content = isJsonObject(delta) ? delta : message;
  const fields = isJsonObject(content) ? content : {};
  return {
    text: textOf(fields.content) + (typeof fields.refusal === 'string' ? fields.refusal : ''),
    calls: toCalls(fields.tool_calls),
    finishReason: toReason(reason),
    tokens: toTokens(value.usage),
    fields: providerFields(fields),
  };
}

/** Keeps text parts only: others are reasoning, or cannot be shown. */
function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => {
      if (typeof part === 'string') return part;
      if (!isJsonObject(part) || !['text', 'output_text', undefined].includes(stringOf(part.type)))
        return '';
      return typeof part.text === 'string' ? part.text : '';
    })
    .join('');
}

function toCalls(calls: JsonValue | undefined): readonly CallChunk[] {
  const all = Array.isArray(calls) ? calls : [calls];
  return all.filter(isJsonObject).map((call): CallChunk => {
    const { index, id } = call;
    const called = isJsonObject(call.function) ? call.function : call;
    return {
      index: typeof index === 'number' ? index : undefined,
      id: stringOf(id),
      name: stringOf(called.name),
      args: stringOf(called.arguments),
      fields: call === called ? undefined : providerFields(call),
    };
  });
}

function providerFields(all: JsonObject): ProviderFields | undefined {
  const entries = Object.entries(all).filter(([key, value]) => !OWN.has(key) && value !== null);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function toReason(reason: JsonValue | undefined): string | undefined {
  if (typeof reason !== 'string' || reason === '') return undefined;
  const plain = reason.toLowerCase();
  if (KNOWN_REASONS.has(plain)) return plain;
  return REASONS[plain] ?? END_REASONS;
}

/** Some servers omit counts or send null. */
function toTokens(usage: JsonValue | undefined): TokenCount | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
