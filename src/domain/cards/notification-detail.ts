/**
 * How much a notification shows of a call: only that there is one, a one-line summary, or also the
 * agent's text.
 */
export const NOTIFICATION_DETAILS = ['none', 'summary', 'full'] as const;

export type NotificationDetail = (typeof NOTIFICATION_DETAILS)[number];
