import type { z } from 'zod';
import type { OperationResponse } from './operation.ts';
import { ProblemBody } from './schemas.ts';

/** Describes a JSON response. */
export function jsonResponse(schema: z.ZodType, description: string): OperationResponse {
  return { description, schema };
}

/** Describes every error response. */
export const PROBLEM: OperationResponse = {
  description: 'Problem: `detail` says what happened, and what to do.',
  schema: ProblemBody,
  mediaType: 'application/problem+json',
};

/** Describes the error responses by status; the common ones are always included. */
export function problemResponses(
  ...statuses: readonly number[]
): Readonly<Record<number, OperationResponse>> {
  const all = [400, 401, 413, 415, 429, 503, ...statuses];
  return Object.fromEntries(all.map((status) => [status, PROBLEM]));
}
