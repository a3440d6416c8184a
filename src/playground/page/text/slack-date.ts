type Write = (date: Date, now: Date) => string;

const DAY_MS = 86_400_000;

const long = (date: Date) =>
  date.toLocaleDateString('en-US', {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
  });
const medium = (date: Date) =>
  date.toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric' });
const short = (date: Date) =>
  date.toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric' });

/** https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
const TOKENS: Readonly<Record<string, Write>> = {
  date_num: (date) => date.toLocaleDateString('en-CA'),
  date: medium,
  date_short: short,
  date_long: long,
  date_pretty: (date, now) => relativeDay(date, now) ?? medium(date),
  date_short_pretty: (date, now) => relativeDay(date, now) ?? short(date),
  date_long_pretty: (date, now) => relativeDay(date, now) ?? long(date),
  time: clockTime,
  time_secs: (date) => date.toLocaleTimeString('en-US'),
  ago: timeAgo,
};

/** Formats a time in the reader's time zone, according to Slack's date tokens. */
export function formatSlackDate(epochS: number, format: string, now: Date): string {
  const date = new Date(epochS * 1000);
  return format.replace(/\{(\w+)\}/g, (whole, token: string) =>
    Object.hasOwn(TOKENS, token) ? (TOKENS[token]?.(date, now) ?? whole) : whole,
  );
}

/** Formats the time of day as Slack does beside a message, e.g. "9:41 AM". */
export function clockTime(date: Date): string {
  return date.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' });
}

/** Returns "Yesterday", "Today" or "Tomorrow", or undefined for any other day. */
export function relativeDay(date: Date, now: Date): string | undefined {
  const days = Math.round((midnight(date) - midnight(now)) / DAY_MS);
  return ['Yesterday', 'Today', 'Tomorrow'][days + 1];
}

/** Returns the heading of a day in a message list. */
export function dayHeading(date: Date, now: Date): string {
  return relativeDay(date, now) ?? long(date);
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

const SPANS: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

function timeAgo(date: Date, now: Date): string {
  const deltaS = Math.round((now.getTime() - date.getTime()) / 1000);
  const size = Math.abs(deltaS);
  const span = SPANS.find(([seconds]) => size >= seconds);
  if (span === undefined) return deltaS >= 0 ? 'just now' : 'in less than a minute';
  const count = Math.floor(size / span[0]);
  const words = `${count} ${span[1]}${count === 1 ? '' : 's'}`;
  return deltaS >= 0 ? `${words} ago` : `in ${words}`;
}
