/** Dates and times between the texts of arguments and what Slack's pickers carry. */

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})((?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})$/;
/** Slack's picker takes ten digits. https://docs.slack.dev/reference/block-kit/block-elements/datetime-picker-element */
const FIRST_S = 1_000_000_000;
const LAST_S = 9_999_999_999;

/** Tells whether a text is a day of the calendar as a date picker shows it. */
export function isDate(text: string): boolean {
  return DATE.test(text) && toDay(text) === text;
}

function toDay(text: string): string | undefined {
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);
}

/** Tells whether a text is a time of day as a time picker shows it. */
export function isTime(text: string): boolean {
  return TIME.test(text);
}

/** A moment as the picker carries it (epoch seconds), and how its text was written. */
export interface Moment {
  readonly epochS: number;
  /** `Z` or an offset such as `+02:00`. */
  readonly offset: string;
  /** What stood after the minutes, with zeros for digits: `:00.000`, `:00` or nothing. */
  readonly seconds: string;
}

/** Reads a moment; undefined for a text that a picker would not show as it is. */
export function parseDateTime(text: string): Moment | undefined {
  const [, day = '', , seconds = '', offset = ''] = MOMENT.exec(text) ?? [];
  const at = Date.parse(text);
  if (day === '' || !isDate(day) || Number.isNaN(at)) return undefined;
  const epochS = Math.floor(at / 1000);
  if (epochS < FIRST_S || epochS > LAST_S) return undefined;
  return { epochS, offset, seconds: seconds.replace(/\d/g, '0') };
}

/** Writes a moment in the way of an earlier one. */
export function formatDateTime({ epochS, offset, seconds }: Moment): string {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const shiftS = (Number(hours) * 60 + Number(minutes)) * 60 * (sign === '-' ? -1 : 1);
  const local = new Date((epochS + shiftS) * 1000).toISOString();
  const second = local.slice(16, 19);
  const rest = seconds === '' && second === ':00' ? '' : `${second}${seconds.slice(3)}`;
  return `${local.slice(0, 16)}${rest}${offset}`;
}
