import { z } from 'zod';
import type { JsonValue } from '../../../domain/json/json.ts';
import {
  ARGUMENTS,
  assertParsed,
  type ForeignDecision,
  type ForeignRequest,
  type Protocol,
} from './protocol.ts';

/** The interrupt value of `exports/middleware.js`. */
const QUESTION = z.object({
  countersign: z.literal(1),
  call: z.object({ name: z.string(), args: ARGUMENTS }),
  description: z.string().optional(),
});

/** The interrupts of our own middleware, one per call. */
export const perCallProtocol: Protocol = {
  name: 'per-call approvals',
  parse(value) {
    const question = QUESTION.safeParse(value);
    return question.success ? [toForeign(question.data)] : undefined;
  },
  encode(value, decisions) {
    assertParsed(perCallProtocol.name, perCallProtocol.parse(value), decisions);
    return answer(decisions[0] ?? { kind: 'ignore' });
  },
};

function toForeign({ call, description }: z.infer<typeof QUESTION>): ForeignRequest {
  return {
    tool: call.name,
    args: call.args,
    ...(description !== undefined && { description }),
    decisions: ['approve', 'edit', 'reply', 'ignore'],
  };
}

function answer({ kind, ...rest }: ForeignDecision): JsonValue {
  return { type: kind, ...rest };
}
