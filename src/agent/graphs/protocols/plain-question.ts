import { z } from 'zod';
import type { JsonValue } from '../../../domain/json/json.ts';
import {
  assertParsed,
  type ForeignDecision,
  type ForeignRequest,
  type Protocol,
} from './protocol.ts';

const JSON_VALUE = z.json();

/** What an interrupt asks that is of no known protocol: shown as JSON, and answered by a person's words as they are. */
export const plainQuestion: Protocol = {
  name: 'a value of its own',
  takesOnlyPeople: true,
  parse: (value) => [toRequest(value)],
  encode(value, decisions) {
    assertParsed(plainQuestion.name, [toRequest(value)], decisions);
    return wordsOf(decisions[0]);
  },
};

function toRequest(value: unknown): ForeignRequest {
  // As it came: a copy by the schema would leave keys out.
  const args = JSON_VALUE.safeParse(value).success ? (value as JsonValue) : String(value);
  return { tool: 'question', args, decisions: ['reply'] };
}

function wordsOf(decision: ForeignDecision | undefined): string {
  if (decision?.kind !== 'reply') throw new Error('Only words answer a question of no protocol.');
  return decision.text;
}
