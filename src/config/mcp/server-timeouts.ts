/** Timeouts of an MCP server. Programs write them in seconds, in milliseconds or with a unit. */
import { parseDuration } from '../../domain/text/duration.ts';
import { CALL_KEYS, START_KEYS } from './server-entry-keys.ts';

/** The timeouts of an entry, or their problems. */
export interface TimeoutsReading {
  readonly read: { readonly startMs?: number; readonly callMs?: number };
  readonly problems: readonly string[];
}

/** Numbers below this are seconds, others milliseconds: nobody means a larger number of seconds. */
const MIN_MS = 1_000;
const MAX_MS = 86_400_000;

/** Reads the timeouts of the start and of a call. Each message begins with `place`. */
export function readTimeouts(place: string, entry: object): TimeoutsReading {
  const values = new Map<string, unknown>(Object.entries(entry));
  const problems: string[] = [];

  function readFirst(keys: readonly string[]): number | undefined {
    const key = keys.find((each) => values.has(each));
    if (key === undefined) return undefined;
    const ms = toMs(key, values.get(key));
    if (ms === undefined) {
      problems.push(
        `${place}: “${key}” must be a time of up to a day: a number below ${MIN_MS} is in seconds, a larger one in milliseconds, and "2m" or "90s" has its own unit.`,
      );
    }
    return ms;
  }

  const startMs = readFirst(START_KEYS);
  const callMs = readFirst(CALL_KEYS);
  return {
    read: { ...(startMs !== undefined && { startMs }), ...(callMs !== undefined && { callMs }) },
    problems,
  };
}

function toMs(key: string, value: unknown): number | undefined {
  const ms = typeof value === 'string' ? parseDuration(value) : toNumberMs(key, value);
  return ms !== undefined && ms > 0 && ms <= MAX_MS ? Math.round(ms) : undefined;
}

function toNumberMs(key: string, value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  return key.endsWith('_sec') || value < MIN_MS ? value * 1_000 : value;
}
