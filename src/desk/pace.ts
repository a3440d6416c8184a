import type { Clock } from '../domain/clock.ts';

/** Spaces what is written to each channel, as Slack asks: one message a second, with short bursts. https://docs.slack.dev/apis/web-api/rate-limits */
export interface Pace {
  /** Lets a write go now, or returns when it is its turn. Urgent writes never wait; what is not urgent makes room for them. */
  take(channel: string, id: string, isUrgent: boolean): number | undefined;
}

const EVERY_MS = 1_000;
/** So many may go at once where nothing went for as many seconds. */
const BURST = 5;
const SLACK_MS = (BURST - 1) * EVERY_MS;

/** Work that waits for its turn: no failure, and no try. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError';
  readonly dueAt: number;

  constructor(dueAt: number) {
    super('Its turn has not come yet.');
    this.dueAt = dueAt;
  }
}

/** Creates the pace of one worker; a process that has just started has no burst to spend. */
export function createPace(clock: Clock): Pace {
  const startedAt = clock.now();
  /** When each channel would be free if all that was let go had been spaced. */
  const channels = new Map<string, number>();
  /** Turns that were given out. */
  const turns = new Map<string, number>();

  function spend(channel: string, now: number): void {
    channels.set(channel, Math.max(freeAt(channel), now) + EVERY_MS);
  }

  function freeAt(channel: string): number {
    return channels.get(channel) ?? startedAt + SLACK_MS;
  }

  function forgetIdle(now: number): void {
    for (const [channel, at] of channels) if (at < now - SLACK_MS) channels.delete(channel);
  }

  return {
    take(channel, id, isUrgent) {
      const now = clock.now();
      const turn = turns.get(id);
      if (isUrgent || (turn !== undefined && turn <= now)) {
        turns.delete(id);
        if (turn === undefined) spend(channel, now);
        return undefined;
      }
      if (turn !== undefined) return turn;
      const at = freeAt(channel) - SLACK_MS;
      spend(channel, now);
      if (at <= now) {
        forgetIdle(now);
        return undefined;
      }
      turns.set(id, at);
      return at;
    },
  };
}
