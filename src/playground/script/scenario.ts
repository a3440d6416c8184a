import { sayEnds } from './describe-results.ts';
import type { Talk } from './read-conversation.ts';

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
  next(talk: Talk): ScriptedAnswer;
}

/** One message with calls, and then what came of them. */
export function inOneGo(words: string, calls: readonly ScriptedCall[], whenAllRan: string) {
  return ({ rounds }: Talk): ScriptedAnswer => {
    const ended = rounds.at(-1);
    return ended ? { words: sayEnds(ended, whenAllRan) } : { words, calls };
  };
}
