import type { Json } from '../json-value.ts';
import type { Ack } from '../workspace-port.ts';

/** What kind of payload travels; the names are Socket Mode's. */
export type DeliveryKind = 'events_api' | 'interactive' | 'slash_commands';

/** The marks Slack puts on a repeated delivery. */
export interface RetryMark {
  readonly num: number;
  readonly reason: string;
}

/** How long Slack waits for an acknowledgement. https://docs.slack.dev/apis/events-api/#responding */
export const ACK_LIMIT_MS = 3_000;

/** An acknowledgement, or its absence with what went wrong and Slack's word for it. */
export interface Delivered {
  readonly ack: Ack;
  readonly problem?: string;
  readonly retryReason?: string;
}

/** Carries one payload to the app and brings its acknowledgement, within the limit by the clock. */
export type Transport = (
  kind: DeliveryKind,
  payload: Json,
  retry?: RetryMark,
) => Promise<Delivered>;
