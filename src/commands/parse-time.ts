import { parseDuration } from '../domain/text/duration.ts';
import { UsageError } from './command.ts';

const DAY_MS = 86_400_000;
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Parses a time and returns milliseconds: a day, a day and time (UTC unless an offset is given), or
 * how long ago. A day alone means its start, or as `end` its end.
 */
export function parseTime(
  option: string,
  text: string,
  side: 'begin' | 'end',
  now: number,
): number {
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  const [, day, minute, second = '00', fraction = '', zone = 'Z'] = TIME.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  // Rejects the 31st of a shorter month, which Date would turn into the 1st of the next one.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day)
    throw invalidTime(option);
  if (minute === undefined) return side === 'begin' ? at : at + DAY_MS;
  const exact = Date.parse(`${day}T${minute}:${second}${fraction}${zone.toUpperCase()}`);
  if (Number.isNaN(exact)) throw invalidTime(option);
  return exact;
}

function invalidTime(option: string): UsageError {
  return new UsageError(
    `${option} must be a day (2026-01-31), a time (2026-01-31T09:30, in UTC; or with an offset, 2026-01-31T09:30+02:00), or how long ago (7d, 12h).`,
  );
}
