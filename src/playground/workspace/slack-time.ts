import type { Clock } from '../../domain/ports/clock.ts';

/**
 * Creates Slack timestamps (`seconds.micros`) from the clock. Each is later than the one before,
 * and than `after`.
 */
export function createTimestamps(clock: Clock, after = '0'): () => string {
  let lastMicros = Math.round(Number(after) * 1_000_000);
  return () => {
    lastMicros = Math.max(Math.floor(clock.now()) * 1000, lastMicros + 1);
    const seconds = Math.floor(lastMicros / 1_000_000);
    return `${seconds}.${String(lastMicros % 1_000_000).padStart(6, '0')}`;
  };
}
