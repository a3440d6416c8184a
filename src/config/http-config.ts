/** What the environment says about the app's HTTP server. */
import type { z } from 'zod';
import type { Variables } from './setting-variables.ts';

/** How the HTTP server treats connections, proxies and pages of other origins. */
export interface HttpConfig {
  /** How long an idle connection stays open. */
  readonly keepAliveMs: number;
  /** How long the headers of a request, or all of it, may take to arrive. */
  readonly headersMs: number;
  /** Addresses or CIDR ranges of proxies whose word about the client's address is taken. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may use the HTTP API. */
  readonly corsOrigins: readonly string[];
}

/** Reads how the HTTP server works. */
export function readHttpConfig(read: z.output<typeof Variables>): HttpConfig {
  return {
    keepAliveMs: read.KEEP_ALIVE_TIMEOUT * 1_000,
    headersMs: read.HEADERS_TIMEOUT * 1_000,
    trustedProxies: read.TRUSTED_PROXIES ?? [],
    corsOrigins: read.CORS_ORIGINS ?? [],
  };
}

/** Says which times can't work together. */
export function httpProblems(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { HEADERS_TIMEOUT: headers = '70', KEEP_ALIVE_TIMEOUT: keepAlive = '65' } = env;
  if (!(Number(headers) <= Number(keepAlive))) return [];
  return [
    'HEADERS_TIMEOUT must be longer than KEEP_ALIVE_TIMEOUT, or a proxy’s next request may meet a connection that just closes. Raise it, or lower KEEP_ALIVE_TIMEOUT.',
  ];
}
