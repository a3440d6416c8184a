import type { IncomingMessage, ServerResponse } from 'node:http';
import { HTTPReceiver, isValidSlackRequest } from '@slack/bolt';
import type { Log } from '../domain/log.ts';
import type { SlackLine } from './slack-line.ts';
import { createSlackLogger } from './slack-logger.ts';

const BODY_LIMIT = 1_000_000;

/** Makes the line over HTTP: requests of the app's own server, their signature checked. */
export function createHttpLine(deps: {
  readonly signingSecret: string;
  readonly log: Log;
}): SlackLine {
  const { signingSecret, log } = deps;
  if (signingSecret.trim() === '') {
    throw new Error(
      'SLACK_SIGNING_SECRET is empty. Copy it from the app’s page, “Basic Information”.',
    );
  }
  const receiver = new HTTPReceiver({
    signingSecret,
    bodyLimit: BODY_LIMIT,
    logger: createSlackLogger(log),
  });
  const nothing = async () => {};

  /** Bolt lets `ssl_check` requests through unsigned; here nothing unsigned is read. */
  function requestListener(request: IncomingMessage, response: ServerResponse): void {
    const body = (request as { rawBody?: unknown }).rawBody;
    if (Buffer.isBuffer(body) && !isSigned(request, body)) {
      response.writeHead(401).end();
      return;
    }
    receiver.requestListener(request, response);
  }

  function isSigned(request: IncomingMessage, body: Buffer): boolean {
    const signature = request.headers['x-slack-signature'];
    const timestamp = Number(request.headers['x-slack-request-timestamp']);
    if (typeof signature !== 'string' || !Number.isSafeInteger(timestamp)) return false;
    return isValidSlackRequest({
      signingSecret,
      body: body.toString(),
      headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp },
    });
  }

  return { receiver, start: nothing, stop: nothing, check: nothing, requestListener };
}
