import type { Log } from '../domain/ports/log.ts';

/** Collects the close functions of opened resources. */
export interface Releasers {
  add(release: () => Promise<void>): void;
  /**
   * Closes all, the last opened first. Failures are logged and do not stop the rest. May be called
   * twice.
   */
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
        log.error({ err: error }, 'A resource did not close cleanly.');
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
