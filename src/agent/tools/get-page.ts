import type { LookupAddress } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import {
  AddressRefusedError,
  addressProblem,
  parseAddress,
  resolvePublic,
  sayNotPublic,
  type WebReach,
} from './web-reach.ts';

/** The answer of a server, as far as it was read. */
export interface Page {
  /** After all redirects. */
  readonly url: URL;
  readonly redirects: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether `body` is only the beginning. */
  readonly isCut: boolean;
}

/** How much of an answer is read, in bytes after decompression. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

const MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 16 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const HEADERS = {
  'user-agent': 'Countersign (fetch_url)',
  accept: 'text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1',
  'accept-encoding': 'gzip, br',
};

/** Gets an address with a plain GET, without cookies or credentials; every hop is checked when it connects. `accepts` sees the content type before the body is read, and throws to refuse it. */
export async function getPage(
  start: URL,
  options: {
    readonly reach: WebReach;
    readonly signal: AbortSignal;
    readonly accepts: (contentType: string) => void;
  },
): Promise<Page> {
  const { reach, signal, accepts } = options;
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await request(url, reach, signal);
    try {
      const next = redirectOf(url, response);
      if (next === undefined) {
        const { statusCode = 0, statusMessage } = response;
        if (statusCode !== 200) throw new Error(sayStatus(url, statusCode, statusMessage));
        const contentType = response.headers['content-type'] ?? '';
        accepts(contentType);
        return { url, redirects, contentType, ...(await readBody(response)) };
      }
      url = next;
    } finally {
      response.destroy();
    }
  }
  throw new Error(`${start.host} redirects more than ${MAX_REDIRECTS} times.`);
}

async function request(url: URL, reach: WebReach, signal: AbortSignal): Promise<IncomingMessage> {
  const problem = addressProblem(url, reach);
  if (problem !== undefined) throw new AddressRefusedError(problem);
  return await new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    const sent = open(url, {
      // No pooled connection: each is looked at when it is made.
      agent: false,
      headers: HEADERS,
      lookup: createLookup(reach),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    });
    sent.on('socket', (socket) =>
      socket.once('connect', () => {
        const { remoteAddress = '' } = socket;
        if (reach.isPublic(remoteAddress)) return;
        sent.destroy(new AddressRefusedError(sayNotPublic(url.hostname, remoteAddress)));
      }),
    );
    sent.on('response', resolve);
    sent.on('error', (error) => reject(toFetchError(url, error)));
    sent.end();
  });
}

/** Answers with addresses that were checked, and it is these that are connected to. */
function createLookup(reach: WebReach): LookupFunction {
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

function redirectOf(url: URL, { statusCode = 0, headers }: IncomingMessage): URL | undefined {
  if (!REDIRECTS.has(statusCode)) return undefined;
  const { location } = headers;
  const next = location === undefined ? undefined : parseAddress(location, url);
  if (!next) throw new Error(`${url.host} redirects to an address that can’t be read.`);
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new AddressRefusedError(
      `${url.host} redirects from https to http (${next.host}), which anybody on the way could read and change.`,
    );
  }
  return next;
}

async function readBody(
  response: IncomingMessage,
): Promise<{ readonly body: Uint8Array; readonly isCut: boolean }> {
  const body = Buffer.alloc(MAX_PAGE_BYTES);
  let size = 0;
  for await (const chunk of decompressed(response) as AsyncIterable<Buffer>) {
    size += chunk.copy(body, size);
    // Leaving the loop closes the connection.
    if (size === MAX_PAGE_BYTES) return { body, isCut: true };
  }
  return { body: body.subarray(0, size), isCut: false };
}

function decompressed(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  // The reader of the last stream sees every error.
  const ignore = () => {};
  switch (encoding) {
    case 'identity':
      return response;
    case 'gzip':
    case 'x-gzip':
      return pipeline(response, createGunzip(), ignore);
    case 'br':
      return pipeline(response, createBrotliDecompress(), ignore);
    default:
      throw new Error(`the answer is compressed in a way that can’t be read (${encoding}).`);
  }
}

function sayStatus({ host }: URL, status: number, message: string | undefined): string {
  const what = [status, message].filter(Boolean).join(' ').slice(0, 100);
  return `${host} answered ${what}, not a page.`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has no address: no such host.',
  EAI_AGAIN: 'could not be resolved just now.',
  ECONNREFUSED: 'refused the connection.',
  ECONNRESET: 'broke the connection off.',
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
