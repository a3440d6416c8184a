import { createHmac } from 'node:crypto';
import type { Clock } from '../../../domain/ports/clock.ts';
import { type Json, parseJson } from '../json-value.ts';
import { ACK_LIMIT_MS, type Delivered, type DeliveryKind, type Transport } from './transport.ts';

/** Delivers payloads as signed HTTP requests: JSON for events, forms for the rest. */
export function createHttpTransport(options: {
  readonly url: string;
  readonly clock: Clock;
  readonly signingSecret: string;
  readonly aborted: AbortSignal;
}): Transport {
  const { url, clock, signingSecret, aborted } = options;
  return (kind, payload, retry) => {
    const body = encodeBody(kind, payload);
    const seconds = Math.floor(clock.now() / 1000);
    const headers: Record<string, string> = {
      'content-type':
        kind === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': signRequest(signingSecret, seconds, body),
      ...(retry === undefined
        ? {}
        : { 'x-slack-retry-num': String(retry.num), 'x-slack-retry-reason': retry.reason }),
    };
    return new Promise((resolve) => {
      const timeout = new AbortController();
      const cancel = clock.schedule(clock.now() + ACK_LIMIT_MS, () => {
        timeout.abort();
        resolve({
          ack: { kind: 'unanswered' },
          problem: 'no answer within 3 s',
          retryReason: 'http_timeout',
        });
      });
      void post(url, headers, body, AbortSignal.any([timeout.signal, aborted])).then(
        (delivered) => {
          cancel();
          resolve(delivered);
        },
      );
    });
  };
}

/**
 * Signs a request body as Slack does.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
function signRequest(secret: string, seconds: number, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`;
}

function encodeBody(kind: DeliveryKind, payload: Json): string {
  switch (kind) {
    case 'events_api':
      return JSON.stringify(payload);
    case 'interactive':
      return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    case 'slash_commands':
      return new URLSearchParams(
        Object.entries(payload).map(([key, value]): [string, string] => [key, String(value)]),
      ).toString();
  }
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Delivered> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal });
    const text = await response.text();
    if (response.status >= 200 && response.status < 300) {
      return { ack: { kind: 'acknowledged', body: parseJson(text) ?? text } };
    }
    return {
      ack: { kind: 'refused', status: response.status, body: text },
      problem: `status ${response.status}`,
      retryReason: 'http_error',
    };
  } catch (error) {
    return {
      ack: { kind: 'unanswered' },
      problem: `no connection: ${error instanceof Error ? error.message : String(error)}`,
      retryReason: 'connection_failed',
    };
  }
}
