import { AIMessage, type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { toWellFormed } from '../../../domain/json/to-plain-json.ts';
import { maskWholeText, plainMasking } from '../../../domain/secrets/mask-secrets.ts';
import { ModelServerError } from './server-error.ts';

const MAX_CHARS = 500;
/** A run of this many characters that also occurs in the conversation counts as a quote. */
const QUOTE_CHARS = 12;
/** Shorter texts are common words that any message may contain. */
const MIN_TEXT_CHARS = 5;
const LEFT_OUT = '[…]';
/** Servers that refuse a key often quote its beginning or end. */
const PART_OF_KEY = /\b(?:sk|pk|gsk|csk|xai|key)-[\w*.…-]+|\S*\*{3,}\S*/gi;

/**
 * Returns a server's error message that is safe to log and show: truncated, without secrets and
 * without text of the conversation. Undefined if there is no message.
 */
export function toSafeMessage(
  error: unknown,
  {
    secrets,
    messages,
  }: { readonly secrets: readonly string[]; readonly messages: readonly BaseMessage[] },
): string | undefined {
  if (!(error instanceof ModelServerError) || error.message === '') return undefined;
  let text = error.message;
  for (const secret of secrets) text = text.replaceAll(secret, LEFT_OUT);
  text = text.replace(PART_OF_KEY, LEFT_OUT);
  const hidden = maskWholeText(
    withoutQuotes(text, textsOf(messages)),
    plainMasking({ reveals: false }),
  );
  return toWellFormed(hidden.length > MAX_CHARS ? `${hidden.slice(0, MAX_CHARS)}…` : hidden);
}

/**
 * All texts of people, the model and tools. The system prompt is the operator's and may be shown.
 */
function textsOf(messages: readonly BaseMessage[]): readonly string[] {
  return messages
    .filter((message) => !SystemMessage.isInstance(message))
    .flatMap((message) => [
      ...contentOf(message),
      ...(AIMessage.isInstance(message) ? argumentsOf(message) : []),
    ]);
}

function contentOf({ content }: BaseMessage): readonly string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((part) => ('text' in part ? [String(part.text)] : []));
}

function argumentsOf({ additional_kwargs: { tool_calls: calls = [] } }: AIMessage) {
  return calls.map((call) => call.function.arguments);
}

function withoutQuotes(text: string, texts: readonly string[]): string {
  let rest = text;
  for (const each of texts) {
    const whole = each.trim();
    if (whole.length >= MIN_TEXT_CHARS) rest = rest.replaceAll(whole, LEFT_OUT);
  }
  return withoutRuns(rest, texts.join('\n'));
}

function withoutRuns(text: string, conversation: string): string {
  let safe = '';
  let at = 0;
  while (at < text.length) {
    const length = quotedAt(text, at, conversation);
    safe += length > 0 ? LEFT_OUT : text.charAt(at);
    at += Math.max(length, 1);
  }
  return safe;
}

/**
 * Counts the characters from `at` that also occur in the conversation; 0 if too few for a quote.
 */
function quotedAt(text: string, at: number, conversation: string): number {
  const isQuoted = (length: number) => conversation.includes(text.slice(at, at + length));
  if (at + QUOTE_CHARS > text.length || !isQuoted(QUOTE_CHARS)) return 0;
  let length = QUOTE_CHARS;
  while (at + length < text.length && isQuoted(length + 1)) length += 1;
  return length;
}
