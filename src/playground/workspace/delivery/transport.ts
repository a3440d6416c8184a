import type { Json } from '../json-value.ts';
import type { Ack } from '../workspace-port.ts';

/** The kind of a payload, named as in Socket Mode. */
export type DeliveryKind = 'events_api' | 'interactive' | 'slash_commands';

/** Slack's retry fields on a repeated delivery. */
export interface RetryMark {
  readonly num: number;
  readonly reason: string;
}

/** How long Slack waits for an acknowledgement. https://docs.slack.dev/apis/events-api/#responding */
export const ACK_LIMIT_MS = 3_000;

/** The acknowledgement. If it is missing: the problem, and Slack's retry reason. */
export interface Delivered {
  readonly ack: Ack;
  readonly problem?: string;
  readonly retryReason?: string;
}

/**
 * Delivers a payload to the app and resolves with its acknowledgement, within the limit by the
 * clock.
 */
export type Transport = (
  kind: DeliveryKind,
  payload: Json,
  retry?: RetryMark,
) => Promise<Delivered>;
