import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '@slack/bolt';
import type { RejectedRequests } from './rejected-requests.ts';

/** Brings Slack’s events to the app, over HTTP or Socket Mode. */
export interface SlackTransport {
  readonly receiver: Receiver;
  /** Resolves once events can arrive; rejects with what to fix. */
  start(): Promise<void>;
  /** Closes the connection. Idempotent. */
  stop(): Promise<void>;
  /** Rejects with the reason while events can’t arrive. */
  check(): Promise<void>;
  /** Handles Slack’s HTTP requests; absent in Socket Mode. */
  readonly requestListener?: (request: IncomingMessage, response: ServerResponse) => void;
  /** The rejected HTTP requests; absent in Socket Mode. */
  readonly refused?: RejectedRequests;
}
