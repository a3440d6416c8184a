/** Explains connection failures: the innermost error code and its meaning. */

const NO_TLS = 'the TLS connection failed; the server may speak plain http';

const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the server took too long to answer',
  UND_ERR_BODY_TIMEOUT: 'the server took too long to answer',
  EPROTO: NO_TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its TLS certificate is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host name',
};
/** A chain of causes may be circular. */
const MAX_STEPS = 10;

/**
 * Returns the innermost error code, following causes and the first error of an `AggregateError`.
 */
export function networkCodeOf(error: unknown): string | undefined {
  return chainOf(error)
    .map(codeOf)
    .findLast((code) => code !== undefined);
}

/** Describes why a connection failed, with its code; undefined if the reason is unknown. */
export function describeConnectionFailure(error: unknown): string | undefined {
  const code = networkCodeOf(error);
  if (code === undefined) {
    // https://fetch.spec.whatwg.org/#port-blocking
    return chainOf(error).at(-1)?.message === 'bad port'
      ? 'this port is blocked for HTTP requests'
      : undefined;
  }
  const meaning = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : otherMeaning(code);
  return meaning === undefined ? code : `${meaning} (${code})`;
}

function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  let at = error;
  while (at instanceof Error && chain.length < MAX_STEPS) {
    chain.push(at);
    const [first] = at instanceof AggregateError ? (at.errors as readonly unknown[]) : [];
    at = first ?? at.cause;
  }
  return chain;
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' && error.code !== ''
    ? error.code
    : undefined;
}

function otherMeaning(code: string): string | undefined {
  return /^ERR_(?:SSL|TLS)_/.test(code) ? NO_TLS : undefined;
}

/** Returns an address that is safe to log: without user name, password and query. */
export function redactAddress(address: string): string {
  if (!URL.canParse(address)) return '';
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}
