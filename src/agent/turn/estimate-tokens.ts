import type { ProviderFields, TurnMessage } from '../../domain/threads/message.ts';

export const BYTES_PER_TOKEN = 3.5;
/** Role, separators and ids of one message. */
const TOKENS_PER_MESSAGE = 12;
/** Longer tool names are truncated in requests. */
const NAME_LENGTH = 64;

/**
 * Estimates the tokens of a text from its UTF-8 bytes, without a tokenizer. 3.5 bytes per token is right
 * for code and JSON, and overestimates prose (about 4 bytes per token).
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Estimates the tokens of messages with their calls, and with `tokensPerImage` for each image. */
export function estimateMessageTokens(
  messages: readonly TurnMessage[],
  tokensPerImage = 0,
): number {
  let total = 0;
  for (const message of messages) {
    total += TOKENS_PER_MESSAGE + estimateTokens(message.text);
    // The prompt may prefix the author's id.
    if (message.role === 'user') {
      total += estimateTokens(`<@${message.author.user}>: `);
      total += (message.images?.length ?? 0) * tokensPerImage;
    }
    if (message.role !== 'assistant') continue;
    total += estimateFields(message.provider?.fields);
    for (const { tool, args, fields } of message.calls) {
      const name = estimateTokens(tool.slice(0, NAME_LENGTH));
      total += TOKENS_PER_MESSAGE + name + estimateTokens(args) + estimateFields(fields);
    }
  }
  return total;
}

function estimateFields(fields: ProviderFields | undefined): number {
  return fields ? estimateTokens(JSON.stringify(fields)) : 0;
}
