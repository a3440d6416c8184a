import type { z } from 'zod';
import type { OperationResponse } from './operation.ts';
import { ProblemBody } from './schemas.ts';

/** Answers with JSON of a schema. */
export function jsonResponse(schema: z.ZodType, description: string): OperationResponse {
  return { description, schema };
}

/** Answers of whatever is not carried out. */
export const PROBLEM: OperationResponse = {
  description: 'Problem: `detail` says what happened, and what to do.',
  schema: ProblemBody,
  mediaType: 'application/problem+json',
};

/** Answers of what is not carried out, by status. */
export function problemResponses(
  ...statuses: readonly number[]
): Readonly<Record<number, OperationResponse>> {
  const all = [400, 401, 413, 415, 429, 503, ...statuses];
  return Object.fromEntries(all.map((status) => [status, PROBLEM]));
}
