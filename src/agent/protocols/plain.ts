import { z } from 'zod';
import {
  assertMatches,
  type ForeignDecision,
  type ForeignRequest,
  type Protocol,
} from './protocol.ts';

const JSON_VALUE = z.json();

/** What an interrupt asks that is of no known protocol: shown as JSON, and answered by a person's words as they are. */
export const plain: Protocol = {
  name: 'a value of its own',
  takesOnlyPeople: true,
  parse: (value) => [toRequest(value)],
  encode(value, decisions) {
    assertMatches(plain.name, [toRequest(value)], decisions);
    return wordsOf(decisions[0]);
  },
};

function toRequest(value: unknown): ForeignRequest {
  const json = JSON_VALUE.safeParse(value);
  return { tool: 'question', args: json.success ? json.data : String(value), decisions: ['reply'] };
}

function wordsOf(decision: ForeignDecision | undefined): string {
  if (decision?.kind !== 'reply') throw new Error('Only words answer a question of no protocol.');
  return decision.text;
}
