import { describeCallEnds } from './describe-results.ts';
import type { ConversationTurn } from './read-conversation.ts';

/** A call that the script makes. */
export interface ScriptedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string | number | boolean>>;
}

/** The next answer of the script: text, and optionally calls. */
export interface ScriptedAnswer {
  readonly words: string;
  readonly calls?: readonly ScriptedCall[];
}

/** One scenario of the scripted model, with the message that starts it. */
export interface Scenario {
  readonly label: string;
  readonly text: string;
  /** Matches messages that start it. If several scenarios match, the last one wins. */
  readonly means: RegExp;
  next(turn: ConversationTurn): ScriptedAnswer;
}

/** Makes the calls first, then describes their results. */
export function callThenDescribe(
  words: string,
  calls: readonly ScriptedCall[],
  whenAllRan: string,
) {
  return ({ rounds }: ConversationTurn): ScriptedAnswer => {
    const ended = rounds.at(-1);
    return ended ? { words: describeCallEnds(ended, whenAllRan) } : { words, calls };
  };
}
