/** Requests to untrusted addresses. Each connection is checked when it is made, and redirects are not followed. */
import type { LookupAddress } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import {
  AddressRefusedError,
  addressProblem,
  describeNonPublicHost,
  resolvePublic,
  type WebAccess,
} from './ssrf-guard.ts';

const MAX_HEADER_BYTES = 16 * 1024;

/** A GET, or a POST if there is a body. */
export interface GuardedRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly reach: WebAccess;
  readonly signal: AbortSignal;
}

/** Sends a request and returns the response; the caller must read or destroy its body. Rejects with a readable error. */
export async function sendGuarded(request: GuardedRequest): Promise<IncomingMessage> {
  const { url, headers, body, reach, signal } = request;
  const problem = addressProblem(url, reach);
  if (problem !== undefined) throw new AddressRefusedError(problem);
  return await new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    const sent = open(url, {
      method: body === undefined ? 'GET' : 'POST',
      // No connection pool, so that every connection is checked.
      agent: false,
      headers:
        body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
      lookup: createLookup(reach),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    });
    sent.on('socket', (socket) =>
      socket.once('connect', () => {
        const { remoteAddress = '' } = socket;
        if (reach.isPublic(remoteAddress)) return;
        sent.destroy(new AddressRefusedError(describeNonPublicHost(url.hostname, remoteAddress)));
      }),
    );
    sent.on('response', resolve);
    // Without this, Node closes the connection silently and the promise never settles.
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(
        new Error(`${url.host} answered ${statusCode}: it wants to switch to another protocol.`),
      );
    });
    sent.on('error', (error) => reject(toFetchError(url, error)));
    sent.end(body);
  });
}

/** Resolves to checked addresses, so that the connection goes to one of those. */
function createLookup(reach: WebAccess): LookupFunction {
  return (host, { all }, callback) => {
    const answer = (found: readonly LookupAddress[]) => {
      const [first] = found;
      if (!first) callback(new Error(`${host} has no address.`), '');
      else if (all) callback(null, [...found]);
      else callback(null, first.address, first.family);
    };
    resolvePublic(host, reach).then(answer, (error: Error) => callback(error, ''));
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has no address: no such host.',
  EAI_AGAIN: 'could not be resolved right now.',
  ECONNREFUSED: 'refused the connection.',
  ECONNRESET: 'closed the connection.',
  EHOSTUNREACH: 'can’t be reached.',
  ENETUNREACH: 'can’t be reached.',
  ETIMEDOUT: 'did not answer.',
  HPE_HEADER_OVERFLOW: `sent more than ${MAX_HEADER_BYTES / 1024} KB of headers.`,
};

function toFetchError({ host }: URL, error: Error): Error {
  if (error instanceof AddressRefusedError || error.name === 'AbortError') return error;
  const code = 'code' in error ? String(error.code) : undefined;
  const reason = code === undefined ? undefined : REASONS[code];
  return new Error(`${host} ${reason ?? `can’t be fetched: ${error.message || code}`}`, {
    cause: error,
  });
}
