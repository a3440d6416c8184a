import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTPModuleFunctions, HTTPReceiver, isValidSlackRequest } from '@slack/bolt';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { MalformedPayloadError } from './malformed-payload-error.ts';
import { isPayload } from './payload.ts';
import { createRejectedRequests } from './rejected-requests.ts';
import { createSlackLogger } from './slack-logger.ts';
import type { SlackTransport } from './slack-transport.ts';

const BODY_LIMIT = 1_000_000;

/** Creates the transport over HTTP. It checks the signature of every request. */
export function createSlackHttpTransport(deps: {
  readonly signingSecret: string;
  readonly clock: Clock;
  readonly log: Log;
}): SlackTransport {
  const { signingSecret, log } = deps;
  const refused = createRejectedRequests(deps);
  if (signingSecret.trim() === '') {
    throw new Error(
      'SLACK_SIGNING_SECRET is empty. Copy it from the app’s page, “Basic Information”.',
    );
  }
  const receiver = new HTTPReceiver({
    signingSecret,
    bodyLimit: BODY_LIMIT,
    logger: createSlackLogger(log),
    // On 503 Slack sends the request again; on 400 a retry would be useless.
    processEventErrorHandler: async ({ error, response }) => {
      log.error({ err: error }, 'A request from Slack could not be processed.');
      const status = error instanceof MalformedPayloadError ? 400 : 503;
      if (!response.headersSent) response.writeHead(status).end();
      return false;
    },
  });
  const noop = async () => {};

  /** Bolt accepts unsigned `ssl_check` requests; here every request must be signed. */
  function requestListener(request: IncomingMessage, response: ServerResponse): void {
    const body = (request as { rawBody?: unknown }).rawBody;
    if (!Buffer.isBuffer(body) || !isSigned(request, body, signingSecret)) {
      refused.noteSignature();
      response.writeHead(401).end();
      return;
    }
    refused.noteTaken();
    if (!isReadable(request, body)) {
      log.warn({}, 'Refused a signed request: Slack sends none of this form.');
      response.writeHead(400).end();
      return;
    }
    receiver.requestListener(request, response);
  }

  return { receiver, start: noop, stop: noop, check: noop, requestListener, refused };
}

/** Parses as Bolt does: Bolt ends the process if the body is not an object. */
function isReadable(request: IncomingMessage, rawBody: Buffer): boolean {
  try {
    const buffered = Object.assign(request, { rawBody });
    return isPayload(HTTPModuleFunctions.parseHTTPRequestBody(buffered));
  } catch {
    return false;
  }
}

function isSigned(request: IncomingMessage, body: Buffer, signingSecret: string): boolean {
  const signature = request.headers['x-slack-signature'];
  const timestamp = Number(request.headers['x-slack-request-timestamp']);
  if (typeof signature !== 'string' || !Number.isSafeInteger(timestamp)) return false;
  return isValidSlackRequest({
    signingSecret,
    body: body.toString(),
    headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp },
  });
}
