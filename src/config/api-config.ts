import type { z } from 'zod';
import type { Variables } from './setting-variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of the HTTP API for programs and custom front ends. */
export interface ApiConfig {
  /** Requests allowed per minute for each key or person, in each process. */
  readonly ratePerMinute: number;
  /** Calls of one key that may be pending at a time. */
  readonly maxPendingPerKey: number;
  /** How tokens of people are verified. Absent: no such tokens are accepted. */
  readonly people?: {
    readonly by:
      | { readonly kind: 'jwks'; readonly url: string }
      | { readonly kind: 'secret'; readonly secret: string };
    readonly audience: string;
    readonly issuer?: string;
  };
}

/** Reads the settings of the HTTP API. */
export function readApiConfig(read: z.output<typeof Variables>): ApiConfig {
  const { APPROVER_JWKS_URL: url, APPROVER_JWT_SECRET: secret } = read;
  const { APPROVER_JWT_AUDIENCE: audience = '', APPROVER_JWT_ISSUER: issuer } = read;
  const by =
    url === undefined
      ? secret !== undefined && ({ kind: 'secret', secret } as const)
      : ({ kind: 'jwks', url } as const);
  return {
    ratePerMinute: read.API_RATE_PER_MINUTE,
    maxPendingPerKey: read.MAX_PENDING_PER_KEY,
    ...(by && { people: { by, audience, ...(issuer !== undefined && { issuer }) } }),
  };
}

/** Lists conflicts between these settings. */
export function apiProblems(env: Environment): readonly string[] {
  const { APPROVER_JWKS_URL: url, APPROVER_JWT_SECRET: secret } = env;
  if (url !== undefined && secret !== undefined) {
    return [
      'APPROVER_JWKS_URL and APPROVER_JWT_SECRET are both set, but only one of them can verify people’s tokens. Unset one.',
    ];
  }
  if ((url ?? secret) !== undefined && env.APPROVER_JWT_AUDIENCE === undefined) {
    return [
      'APPROVER_JWT_AUDIENCE is missing. Without it, tokens made for other services would be accepted. Set it to the “aud” claim of your tokens.',
    ];
  }
  return [];
}

/** Lists settings of the API that have no effect. */
export function apiWarnings(env: Environment): readonly string[] {
  if ((env.APPROVER_JWKS_URL ?? env.APPROVER_JWT_SECRET) !== undefined) return [];
  return ['APPROVER_JWT_AUDIENCE', 'APPROVER_JWT_ISSUER']
    .filter((name) => env[name] !== undefined)
    .map(
      (name) =>
        `${name} has no effect without APPROVER_JWKS_URL or APPROVER_JWT_SECRET: no tokens of people are accepted.`,
    );
}
