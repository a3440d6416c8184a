/** A model that answers several agents at once: each is identified by the first message of its turn. */

import type { MockAnswer, MockModel } from '../servers/mock-model.ts';
import type { MockRequest } from '../servers/mock-model-rules.ts';

type Answers = readonly (MockAnswer | Promise<MockAnswer>)[];

/** Sets the answers for agents with this first message, one after the other; they must not ask more often. */
export function playAgents(model: MockModel, answers: Readonly<Record<string, Answers>>): void {
  model.script((request) => {
    const { text, asked } = turnOf(request);
    const answer = answers[text]?.[asked];
    if (!answer) throw new Error(`The model was asked ${asked + 1} times about “${text}”.`);
    return answer;
  });
}

/** The subject of a request: the newest message of somebody else, and the number of model answers since. */
export function turnOf({ messages }: MockRequest): {
  readonly text: string;
  readonly asked: number;
} {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const later = messages.slice(at + 1);
  return {
    text: String(messages[at]?.content),
    asked: later.filter(({ role }) => role === 'assistant').length,
  };
}

/** The tool messages of the newest request about this text, in order. */
export function toldOf(model: MockModel, text: string): readonly string[] {
  const request = model.requests.findLast((each) => turnOf(each).text === text);
  const { messages } = request ?? { messages: [] };
  const at = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(at + 1)
    .flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : []));
}
