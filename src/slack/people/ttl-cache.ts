import type { Clock } from '../../domain/ports/clock.ts';

/** Caches answers by key. The caller sets the maximum age. */
export interface TtlCache<T> {
  /** Resolves from the cache if the request is in flight or younger than `maxAgeMs`. Failures are not cached. */
  get(key: string, maxAgeMs: number): Promise<T>;
}

interface Entry<T> {
  readonly answer: Promise<T>;
  readonly askedAt: number;
  isInFlight: boolean;
}

/** Creates a cache of at most `maxEntries` answers; the oldest is evicted first. */
export function createTtlCache<T>(deps: {
  readonly clock: Clock;
  readonly maxEntries: number;
  readonly load: (key: string) => Promise<T>;
}): TtlCache<T> {
  const { clock, maxEntries } = deps;
  const entries = new Map<string, Entry<T>>();

  function load(key: string): Promise<T> {
    const answer = deps.load(key);
    const entry = { answer, askedAt: clock.now(), isInFlight: true };
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    answer.then(
      () => {
        entry.isInFlight = false;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return answer;
  }

  /** A negative age means that the clock was set back, so the real age is unknown. */
  function isFresh({ askedAt, isInFlight }: Entry<T>, maxAgeMs: number): boolean {
    const ageMs = clock.now() - askedAt;
    return isInFlight || (ageMs >= 0 && ageMs < maxAgeMs);
  }

  return {
    get(key, maxAgeMs) {
      const entry = entries.get(key);
      return entry && isFresh(entry, maxAgeMs) ? entry.answer : load(key);
    },
  };
}
