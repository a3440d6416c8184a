/** Converts dates and times between argument texts and Slack's pickers. */

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})((?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})$/;
/**
 * Slack's picker accepts ten digits.
 * https://docs.slack.dev/reference/block-kit/block-elements/datetime-picker-element
 */
const FIRST_S = 1_000_000_000;
const LAST_S = 9_999_999_999;

/** Tells whether a text is a valid date in the date picker's format. */
export function isDate(text: string): boolean {
  return DATE.test(text) && toDay(text) === text;
}

function toDay(text: string): string | undefined {
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);
}

/** Tells whether a text is a time in the time picker's format. */
export function isTime(text: string): boolean {
  return TIME.test(text);
}

/** A date and time as the picker returns it, and the format of its text. */
export interface Moment {
  readonly epochS: number;
  /** `Z` or an offset such as `+02:00`. */
  readonly offset: string;
  /** The text after the minutes, with digits as zeros: `:00.000`, `:00` or nothing. */
  readonly seconds: string;
}

/** Parses a date and time; undefined for a text that a picker can't show unchanged. */
export function parseDateTime(text: string): Moment | undefined {
  const [, day = '', , seconds = '', offset = ''] = MOMENT.exec(text) ?? [];
  const at = Date.parse(text);
  if (day === '' || !isDate(day) || Number.isNaN(at)) return undefined;
  const epochS = Math.floor(at / 1000);
  if (epochS < FIRST_S || epochS > LAST_S) return undefined;
  return { epochS, offset, seconds: seconds.replace(/\d/g, '0') };
}

/** Formats a date and time like the text that it replaces. */
export function formatDateTime({ epochS, offset, seconds }: Moment): string {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  const shiftS = (Number(hours) * 60 + Number(minutes)) * 60 * (sign === '-' ? -1 : 1);
  const local = new Date((epochS + shiftS) * 1000).toISOString();
  const second = local.slice(16, 19);
  const rest = seconds === '' && second === ':00' ? '' : `${second}${seconds.slice(3)}`;
  return `${local.slice(0, 16)}${rest}${offset}`;
}
