import { type Logger, LogLevel } from '@slack/bolt';
import type { Log } from '../../domain/ports/log.ts';

/**
 * Makes the logger that Slack's libraries get: warnings and errors only, and of those the first
 * text, since their debug lines hold whole payloads.
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
