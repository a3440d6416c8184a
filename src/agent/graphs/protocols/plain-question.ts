import { z } from 'zod';
import type { JsonValue } from '../../../domain/json/json.ts';
import {
  assertParsed,
  type ForeignDecision,
  type ForeignRequest,
  type Protocol,
} from './protocol.ts';

const JSON_VALUE = z.json();

/** An interrupt of no known protocol: shown as JSON and answered with a person's exact text. */
export const plainQuestion: Protocol = {
  name: 'an unknown protocol',
  takesOnlyPeople: true,
  parse: (value) => [toRequest(value)],
  encode(value, decisions) {
    assertParsed(plainQuestion.name, [toRequest(value)], decisions);
    return replyTextOf(decisions[0]);
  },
};

function toRequest(value: unknown): ForeignRequest {
  // The original value: the schema's copy would drop keys.
  const args = JSON_VALUE.safeParse(value).success ? (value as JsonValue) : String(value);
  return { tool: 'question', args, decisions: ['reply'] };
}

function replyTextOf(decision: ForeignDecision | undefined): string {
  if (decision?.kind !== 'reply') throw new Error('Only a reply can answer a plain question.');
  return decision.text;
}
