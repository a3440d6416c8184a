/** How much of a call its notification tells: that there is one, what it would do in one line, or the agent's words too. */
export const NOTIFICATION_DETAILS = ['none', 'summary', 'full'] as const;

export type NotificationDetail = (typeof NOTIFICATION_DETAILS)[number];
