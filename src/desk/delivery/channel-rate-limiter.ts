import type { Clock } from '../../domain/ports/clock.ts';

/**
 * Spaces writes per channel to Slack's limit: one message a second, with short bursts.
 * https://docs.slack.dev/apis/web-api/rate-limits
 */
export interface ChannelRateLimiter {
  /**
   * Undefined: write now. Otherwise the time of the write's turn, in ms since 1970. Urgent writes
   * never wait and delay the others.
   */
  take(channel: string, id: string, isUrgent: boolean): number | undefined;
}

const INTERVAL_MS = 1_000;
/** Writes allowed at once after as many idle seconds. */
const BURST = 5;
const BURST_MS = (BURST - 1) * INTERVAL_MS;
/** Limits how far urgent writes can delay the others. */
const MAX_DELAY_MS = BURST_MS + 5_000;
/** Tolerance of a turn's time. */
const TOLERANCE_MS = 50;

/** The write must wait for its turn. Does not count as a failure or a try. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';
  readonly dueAt: number;

  constructor(dueAt: number) {
    super('The write must wait for its turn.');
    this.dueAt = dueAt;
  }
}

/** Throws if a write must wait for its turn. */
export function assertWriteAllowed(turnAt: number | undefined): void {
  if (turnAt !== undefined) throw new RateLimitedError(turnAt);
}

/** Creates the rate limiter of one worker. A new process starts without a burst. */
export function createChannelRateLimiter(clock: Clock): ChannelRateLimiter {
  const startedAt = clock.now();
  /** When each channel would be free if all writes so far had been spaced. */
  const channels = new Map<string, number>();
  /** Time of the last write to each channel. */
  const lastWrites = new Map<string, number>();
  /** Turns assigned to waiting writes. */
  const turns = new Map<string, number>();

  function reserve(channel: string, now: number): void {
    channels.set(channel, Math.max(freeAt(channel), now) + INTERVAL_MS);
  }

  function allow(channel: string, id: string, now: number): undefined {
    turns.delete(id);
    lastWrites.set(channel, now);
  }

  /** After a busy period many turns are due at once, so they are spaced again. */
  function takeTurn(channel: string, id: string, turn: number, now: number): number | undefined {
    const at = Math.max(turn, (lastWrites.get(channel) ?? 0) + INTERVAL_MS);
    if (at <= now + TOLERANCE_MS) return allow(channel, id, now);
    turns.set(id, at);
    return at;
  }

  function freeAt(channel: string): number {
    return channels.get(channel) ?? startedAt + BURST_MS;
  }

  function forgetIdle(now: number): void {
    for (const [channel, at] of channels) {
      if (at >= now - BURST_MS) continue;
      channels.delete(channel);
      lastWrites.delete(channel);
    }
  }

  return {
    take(channel, id, isUrgent) {
      const now = clock.now();
      const turn = turns.get(id);
      if (isUrgent) {
        const delay = freeAt(channel) - now;
        if (turn === undefined && delay < MAX_DELAY_MS) reserve(channel, now);
        return allow(channel, id, now);
      }
      if (turn !== undefined) return takeTurn(channel, id, turn, now);
      const at = freeAt(channel) - BURST_MS;
      reserve(channel, now);
      if (at <= now) {
        forgetIdle(now);
        return allow(channel, id, now);
      }
      turns.set(id, at);
      return at;
    },
  };
}
