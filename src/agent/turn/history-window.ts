import type { History } from '../../domain/ports/store.ts';
import type { SettledTurn, TurnMessage } from '../../domain/threads/message.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { estimateMessageTokens } from './estimate-tokens.ts';
import { fitTurn, MIN_TURN_TOKENS } from './fit-turn.ts';
import { pairCallsWithAnswers } from './turn-messages.ts';

/** The newest earlier turns that fit, oldest message first. */
export interface HistoryWindow {
  readonly messages: readonly TurnMessage[];
  /** Whether older turns were dropped. */
  readonly isCut: boolean;
}

const PAGE = 20;
/**
 * Reads the newest whole turns that fit in `tokens`, each call with its answer. The first turn that does
 * not fit ends the window. The newest turn is cut to fit instead, because people refer to it. Only its
 * images count, `tokensPerImage` each: older ones are not shown.
 */
export async function readHistoryWindow(
  history: Pick<History, 'newest'>,
  thread: ThreadKey,
  currentTurn: string,
  tokens: number,
  tokensPerImage = 0,
): Promise<HistoryWindow> {
  const kept: (readonly TurnMessage[])[] = [];
  let left = tokens;
  let isCut = false;
  for await (const turn of newestFirst(history, thread)) {
    if (turn.id === currentTurn) continue;
    const messages = pairCallsWithAnswers(turn.messages);
    const cost = estimateMessageTokens(messages, kept.length === 0 ? tokensPerImage : 0);
    isCut = cost > left;
    if (!isCut) kept.push(messages);
    else if (kept.length === 0) kept.push(cutToFit(messages, left));
    if (isCut) break;
    left -= cost;
  }
  return { messages: kept.reverse().flat(), isCut };
}

async function* newestFirst(
  history: Pick<History, 'newest'>,
  thread: ThreadKey,
): AsyncGenerator<SettledTurn> {
  for (let skip = 0; ; skip += PAGE) {
    const page = await history.newest(thread, PAGE, skip);
    yield* page;
    if (page.length < PAGE) return;
  }
}

function cutToFit(messages: SettledTurn['messages'], tokens: number): readonly TurnMessage[] {
  return tokens < MIN_TURN_TOKENS ? [] : fitTurn(messages, tokens).messages;
}
