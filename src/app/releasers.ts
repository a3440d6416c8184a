import type { Log } from '../domain/ports/log.ts';

/** Remembers how what was opened is closed again. */
export interface Releasers {
  add(release: () => Promise<void>): void;
  /** Closes all, the last opened first; a failure is logged and the rest still closed. Twice is harmless. */
  releaseAll(): Promise<void>;
}

/** Creates an empty list of releasers. */
export function createReleasers(log: Pick<Log, 'error'>): Releasers {
  const releases: (() => Promise<void>)[] = [];
  let released: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (const release of releases.reverse()) {
      try {
        await release();
      } catch (error) {
        log.error({ err: error }, 'Something did not close well.');
      }
    }
  }

  return {
    add: (release) => {
      releases.push(release);
    },
    releaseAll: () => {
      released ??= run();
      return released;
    },
  };
}
