import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Receiver } from '@slack/bolt';
import type { RejectedRequests } from './rejected-requests.ts';

/** How Slack's events reach the app, whichever way. */
export interface SlackTransport {
  readonly receiver: Receiver;
  /** Resolves when events can arrive; rejects with what to mend. */
  start(): Promise<void>;
  /** Ends it; twice is harmless. */
  stop(): Promise<void>;
  /** Rejects, saying why, while events can't arrive. */
  check(): Promise<void>;
  /** Handles Slack's requests; absent where they come over a socket. */
  readonly requestListener?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Notes of requests that were not taken; absent where they come over a socket. */
  readonly refused?: RejectedRequests;
}
