import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { sendGuarded } from '../../../net/guarded-request.ts';
import { AddressRefusedError, parseAddress, type WebAccess } from '../../../net/ssrf-guard.ts';

/** A fetched page. */
export interface FetchedPage {
  /** The address after all redirects. */
  readonly url: URL;
  readonly redirects: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether `body` is only the beginning. */
  readonly isCut: boolean;
}

/** Maximum bytes read of a response, after decompression. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const HEADERS = {
  'user-agent': 'Countersign (fetch_url)',
  accept: 'text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1',
  'accept-encoding': 'gzip, br',
};

/**
 * Fetches a page with a plain GET, without cookies or credentials. The address is checked at every hop.
 * `accepts` gets the content type before the body is read, and throws to refuse it.
 */
export async function fetchWebPage(
  start: URL,
  options: {
    readonly reach: WebAccess;
    readonly signal: AbortSignal;
    readonly accepts: (contentType: string) => void;
  },
): Promise<FetchedPage> {
  const { reach, signal, accepts } = options;
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await sendGuarded({ url, headers: HEADERS, reach, signal });
    try {
      const next = redirectOf(url, response);
      if (next === undefined) {
        const { statusCode = 0, statusMessage } = response;
        if (statusCode !== 200) throw new Error(describeHttpStatus(url, statusCode, statusMessage));
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

function redirectOf(url: URL, { statusCode = 0, headers }: IncomingMessage): URL | undefined {
  if (!REDIRECTS.has(statusCode)) return undefined;
  const { location } = headers;
  const next = location === undefined ? undefined : parseAddress(location, url);
  if (!next) throw new Error(`${url.host} redirects to an address that can’t be read.`);
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw new AddressRefusedError(
      `${url.host} redirects from https to http (${next.host}), which anyone on the network could read and change.`,
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
    // Returning closes the connection.
    if (size === MAX_PAGE_BYTES) return { body, isCut: true };
  }
  return { body: body.subarray(0, size), isCut: false };
}

function decompressed(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  // Errors also reach the reader of the last stream.
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

function describeHttpStatus({ host }: URL, status: number, message: string | undefined): string {
  const what = [status, message].filter(Boolean).join(' ').slice(0, 100);
  return `${host} answered ${what}, not a page.`;
}
