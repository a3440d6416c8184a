import type { ProviderFields, TurnMessage } from '../../domain/threads/message.ts';

/** How many bytes of a text count as a token. */
export const BYTES_PER_TOKEN = 3.5;
/** Role, separators and ids of one message. */
const TOKENS_PER_MESSAGE = 12;
/** Longer names of tools don't go over the wire. */
const NAME_LENGTH = 64;

/**
 * Estimates the tokens of a text from its UTF-8 bytes, without a tokenizer: 3.5 bytes a token is on
 * the high side for prose (about 4) and right for code and JSON.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Estimates the tokens of messages, their calls included, and their images at so much each. */
export function estimateMessageTokens(
  messages: readonly TurnMessage[],
  tokensPerImage = 0,
): number {
  let total = 0;
  for (const message of messages) {
    total += TOKENS_PER_MESSAGE + estimateTokens(message.text);
    // Each message of a person may begin with its author's id.
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
