import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

/** Replaces each sync of a log by `sync` until the test ends; returns their number, and how to stop earlier. */
export function watchSyncs(
  t: TestContext,
  sync: (log: number) => void = fs.fdatasyncSync,
): { readonly count: () => number; stop(): void } {
  let count = 0;
  const counted = (log: number) => {
    count += 1;
    sync(log);
  };
  const mocks = [
    t.mock.method(fs, 'fdatasyncSync', counted),
    t.mock.method(fs, 'fdatasync', (log: number, done: (error?: unknown) => void) => {
      try {
        counted(log);
        setImmediate(done);
      } catch (error) {
        setImmediate(done, error);
      }
    }),
  ];
  syncBuiltinESMExports();
  function stop(): void {
    for (const { mock } of mocks) mock.restore();
    syncBuiltinESMExports();
  }
  t.after(stop);
  return { count: () => count, stop };
}
