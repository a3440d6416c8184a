import type { SettledTurn, TurnMessage } from '../domain/message.ts';
import type { History } from '../domain/store.ts';
import type { ThreadKey } from '../domain/thread-key.ts';

/** The newest earlier turns that fit, oldest message first. */
export interface HistoryWindow {
  readonly messages: readonly TurnMessage[];
  /** Whether older turns are left out. */
  readonly isCut: boolean;
}

const PAGE = 20;
const BYTES_PER_TOKEN = 3.5;
/** Role, separators and ids of one message. */
const TOKENS_PER_MESSAGE = 12;

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
    if (message.role === 'user') total += (message.images?.length ?? 0) * tokensPerImage;
    if (message.role !== 'assistant') continue;
    for (const { tool, args } of message.calls) {
      total += TOKENS_PER_MESSAGE + estimateTokens(tool) + estimateTokens(args);
    }
  }
  return total;
}

/** Reads the newest whole turns that fit in `tokens`, the newest with its images; a turn that does not fit ends the window. */
export async function readWindow(
  history: Pick<History, 'newest'>,
  thread: ThreadKey,
  currentTurn: string,
  tokens: number,
  tokensPerImage = 0,
): Promise<HistoryWindow> {
  const kept: (readonly TurnMessage[])[] = [];
  const sizeOf = ({ messages }: SettledTurn) =>
    estimateMessageTokens(messages, kept.length === 0 ? tokensPerImage : 0);
  let left = tokens;
  for (let skip = 0; ; skip += PAGE) {
    const page = await history.newest(thread, PAGE, skip);
    for (const turn of page) {
      if (turn.id === currentTurn) continue;
      left -= sizeOf(turn);
      if (left < 0) return { messages: kept.reverse().flat(), isCut: true };
      kept.push(turn.messages);
    }
    if (page.length < PAGE) return { messages: kept.reverse().flat(), isCut: false };
  }
}
