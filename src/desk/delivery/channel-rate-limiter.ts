import type { Clock } from '../../domain/ports/clock.ts';

/** Spaces what is written to each channel, as Slack asks: one message a second, with short bursts. https://docs.slack.dev/apis/web-api/rate-limits */
export interface ChannelRateLimiter {
  /** Lets a write go now, or returns when it is its turn. Urgent writes never wait; what is not urgent makes room for them. */
  take(channel: string, id: string, isUrgent: boolean): number | undefined;
}

const EVERY_MS = 1_000;
/** So many may go at once where nothing went for as many seconds. */
const BURST = 5;
const SLACK_MS = (BURST - 1) * EVERY_MS;
/** However much people do in a channel, what waits there for its turn waits no longer for that. */
const MAX_OWED_MS = SLACK_MS + 5_000;
/** A timer need not be that exact. */
const NEAR_MS = 50;

/** Work that waits for its turn: no failure, and no try. */
export class RateLimitedError extends Error {
  override readonly name = 'NotYetError';
  readonly dueAt: number;

  constructor(dueAt: number) {
    super('Its turn has not come yet.');
    this.dueAt = dueAt;
  }
}

/** Throws when it is not the turn of a write yet. */
export function assertWriteAllowed(turnAt: number | undefined): void {
  if (turnAt !== undefined) throw new RateLimitedError(turnAt);
}

/** Creates the pace of one worker; a process that has just started has no burst to spend. */
export function createChannelRateLimiter(clock: Clock): ChannelRateLimiter {
  const startedAt = clock.now();
  /** When each channel would be free if all that was let go had been spaced. */
  const channels = new Map<string, number>();
  /** When each channel was written to last. */
  const wrote = new Map<string, number>();
  /** Turns that were given out. */
  const turns = new Map<string, number>();

  function spend(channel: string, now: number): void {
    channels.set(channel, Math.max(freeAt(channel), now) + EVERY_MS);
  }

  function go(channel: string, id: string, now: number): undefined {
    turns.delete(id);
    wrote.set(channel, now);
  }

  /** A process that was busy finds many turns come at once: they are spaced again. */
  function takeTurn(channel: string, id: string, turn: number, now: number): number | undefined {
    const at = Math.max(turn, (wrote.get(channel) ?? 0) + EVERY_MS);
    if (at <= now + NEAR_MS) return go(channel, id, now);
    turns.set(id, at);
    return at;
  }

  function freeAt(channel: string): number {
    return channels.get(channel) ?? startedAt + SLACK_MS;
  }

  function forgetIdle(now: number): void {
    for (const [channel, at] of channels) {
      if (at >= now - SLACK_MS) continue;
      channels.delete(channel);
      wrote.delete(channel);
    }
  }

  return {
    take(channel, id, isUrgent) {
      const now = clock.now();
      const turn = turns.get(id);
      if (isUrgent) {
        const owed = freeAt(channel) - now;
        if (turn === undefined && owed < MAX_OWED_MS) spend(channel, now);
        return go(channel, id, now);
      }
      if (turn !== undefined) return takeTurn(channel, id, turn, now);
      const at = freeAt(channel) - SLACK_MS;
      spend(channel, now);
      if (at <= now) {
        forgetIdle(now);
        return go(channel, id, now);
      }
      turns.set(id, at);
      return at;
    },
  };
}
