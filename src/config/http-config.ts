/** Settings of the app's HTTP server. */
import type { z } from 'zod';
import type { Variables } from './setting-variables.ts';

/** Settings for connections, proxies and cross-origin pages. */
export interface HttpConfig {
  /** How long an idle connection stays open, in milliseconds. */
  readonly keepAliveMs: number;
  /** Timeout for receiving the headers of a request, or all of it, in milliseconds. */
  readonly headersMs: number;
  /** Addresses or CIDR ranges of proxies that are trusted to report the client's address. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may use the HTTP API. */
  readonly corsOrigins: readonly string[];
}

/** Reads the settings of the HTTP server. */
export function readHttpConfig(read: z.output<typeof Variables>): HttpConfig {
  return {
    keepAliveMs: read.KEEP_ALIVE_TIMEOUT * 1_000,
    headersMs: read.HEADERS_TIMEOUT * 1_000,
    trustedProxies: read.TRUSTED_PROXIES ?? [],
    corsOrigins: read.CORS_ORIGINS ?? [],
  };
}

/** Lists timeouts that conflict. */
export function httpProblems(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { HEADERS_TIMEOUT: headers = '70', KEEP_ALIVE_TIMEOUT: keepAlive = '65' } = env;
  if (!(Number(headers) <= Number(keepAlive))) return [];
  return [
    'HEADERS_TIMEOUT must be longer than KEEP_ALIVE_TIMEOUT, or a proxy’s next request may meet a connection that just closes. Raise it, or lower KEEP_ALIVE_TIMEOUT.',
  ];
}
