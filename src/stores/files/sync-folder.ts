import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes a folder's entries to disk, so that new files survive a power cut. Ignores file systems that can't. https://man7.org/linux/man-pages/man2/fsync.2.html */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EINVAL')) throw error;
  } finally {
    closeSync(folder);
  }
}
