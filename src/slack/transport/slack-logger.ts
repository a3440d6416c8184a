import { type Logger, LogLevel } from '@slack/bolt';
import type { Log } from '../../domain/ports/log.ts';

/**
 * Creates the logger for Slack's libraries. It passes on warnings and errors, each cut to 500
 * characters, and drops debug lines, which contain whole payloads.
 */
export function createSlackLogger(log: Log): Logger {
  const joinParts = (parts: readonly unknown[]) => parts.map(String).join(' ').slice(0, 500);
  return {
    debug: () => {},
    info: () => {},
    warn: (...parts: unknown[]) => log.warn({ from: 'slack' }, joinParts(parts)),
    error: (...parts: unknown[]) => log.error({ from: 'slack' }, joinParts(parts)),
    setLevel: () => {},
    getLevel: () => LogLevel.WARN,
    setName: () => {},
  };
}
