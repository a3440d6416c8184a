import type { Clock } from '../../domain/ports/clock.ts';

/** Answers by key, as fresh as whoever asks wants them. */
export interface TtlCache<T> {
  /** Answers from memory what was asked less than `maxAgeMs` ago, or is being asked; what fails is not kept. */
  get(key: string, maxAgeMs: number): Promise<T>;
}

interface Kept<T> {
  readonly answer: Promise<T>;
  readonly askedAt: number;
  isUnderWay: boolean;
}

/** Makes a memory of answers; the oldest of more than `most` are forgotten. */
export function createTtlCache<T>(deps: {
  readonly clock: Clock;
  readonly most: number;
  readonly ask: (key: string) => Promise<T>;
}): TtlCache<T> {
  const { clock, most } = deps;
  const kept = new Map<string, Kept<T>>();

  function ask(key: string): Promise<T> {
    const answer = deps.ask(key);
    const entry = { answer, askedAt: clock.now(), isUnderWay: true };
    kept.delete(key);
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    answer.then(
      () => {
        entry.isUnderWay = false;
      },
      () => {
        if (kept.get(key) === entry) kept.delete(key);
      },
    );
    return answer;
  }

  /** What a clock that was put back shows as not yet asked may be of any age. */
  function isFresh({ askedAt, isUnderWay }: Kept<T>, maxAgeMs: number): boolean {
    const ageMs = clock.now() - askedAt;
    return isUnderWay || (ageMs >= 0 && ageMs < maxAgeMs);
  }

  return {
    get(key, maxAgeMs) {
      const known = kept.get(key);
      return known && isFresh(known, maxAgeMs) ? known.answer : ask(key);
    },
  };
}
