import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../domain/ports/clock.ts';
import { discardBody, readBody } from './read-body.ts';

/** Handles a Slack request whose body was attached as `rawBody`. */
export type SlackListener = (request: IncomingMessage, response: ServerResponse) => void;

const BODY_LIMIT_BYTES = 1_000_000;
const DROP_LIMIT_BYTES = 20_000_000;
/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
const MAX_SKEW_MS = 300_000;

/**
 * Creates the route of Slack's requests. Checks before Bolt verifies the signature: the timestamp in both
 * directions (Bolt accepts any future time), exactly one signature, and the size of the body.
 */
export function createSlackRoute(deps: {
  readonly listener: SlackListener;
  readonly clock: Clock;
  /** Called if a request's timestamp is too far off, with how far our clock is ahead (ms). */
  readonly onSkew?: ((ms: number) => void) | undefined;
}): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    if (request.method !== 'POST')
      return answer(request, response, 405, 'Slack sends POST requests.');
    const wrong = explainUnsigned(request, deps.clock.now(), deps.onSkew);
    if (wrong !== undefined) return answer(request, response, 401, wrong);
    const body = await readBody(request, BODY_LIMIT_BYTES);
    if (body === 'too-large')
      return answer(request, response, 413, 'The body is longer than 1 MB.');
    Object.assign(request, { rawBody: body });
    deps.listener(request, response);
  };
}

function explainUnsigned(
  request: IncomingMessage,
  now: number,
  onSkew: ((ms: number) => void) | undefined,
): string | undefined {
  for (const name of ['x-slack-signature', 'x-slack-request-timestamp']) {
    const times = countHeader(request, name);
    if (times !== 1) return `There must be one ${name} header, not ${times}.`;
  }
  const timestamp = String(request.headers['x-slack-request-timestamp']);
  const isTime = /^[0-9]{1,12}$/.test(timestamp);
  const skewMs = now - Number(timestamp) * 1_000;
  if (!isTime || Math.abs(skewMs) > MAX_SKEW_MS) {
    if (isTime) onSkew?.(skewMs);
    return 'The timestamp is more than five minutes off the server’s clock.';
  }
  return undefined;
}

/** Node joins repeated headers; only the raw list has each of them. */
function countHeader(request: IncomingMessage, name: string): number {
  return request.rawHeaders.filter((each, i) => i % 2 === 0 && each.toLowerCase() === name).length;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  error: string,
): Promise<void> {
  const text = JSON.stringify({ error });
  // An unread rest of the body would be parsed as the next request.
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  });
  response.write(text);
  await discardBody(request, DROP_LIMIT_BYTES);
  response.end();
}
