import { describeCallEnds } from './describe-results.ts';
import type { ConversationTurn } from './read-conversation.ts';

/** A call that the script makes. */
export interface ScriptedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string | number | boolean>>;
}

/** What the script says next: words, and calls beside them. */
export interface ScriptedAnswer {
  readonly words: string;
  readonly calls?: readonly ScriptedCall[];
}

/** One thing that the scripted model can do, with the message that asks for it. */
export interface Scenario {
  readonly label: string;
  readonly text: string;
  /** What a message must hold to mean it; where several fit, the last one is meant. */
  readonly means: RegExp;
  next(talk: ConversationTurn): ScriptedAnswer;
}

/** One message with calls, and then what came of them. */
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
