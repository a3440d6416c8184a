/**
 * What this process has changed lately. A read may be older than a commit that was in progress with
 * it, so it is cached only if the commit changed nothing of it.
 */
export interface RecentChanges {
  /** Take it before a read. */
  mark(): number;
  /** Called before a commit is sent and after it is done, with its records and partitions. */
  note(names: Iterable<string>): void;
  /** False if one of the names may have changed since the mark. */
  isUnchangedSince(mark: number, names: Iterable<string>): boolean;
}

/** So many names are remembered, in two generations. Older reads are not cached. */
const GENERATION = 2_000;

/** Creates the memory of a process. */
export function createRecentChanges(): RecentChanges {
  let time = 0;
  let current = new Map<string, number>();
  let previous = new Map<string, number>();
  /** Changes until then are forgotten. */
  let forgotten = 0;
  let rotatedAt = 0;

  function rotate(): void {
    forgotten = rotatedAt;
    rotatedAt = time;
    previous = current;
    current = new Map();
  }

  return {
    mark: () => time,
    note(names) {
      time += 1;
      for (const name of names) current.set(name, time);
      if (current.size > GENERATION) rotate();
    },
    isUnchangedSince(mark, names) {
      if (mark < forgotten) return false;
      for (const name of names) {
        if ((current.get(name) ?? previous.get(name) ?? 0) > mark) return false;
      }
      return true;
    },
  };
}
