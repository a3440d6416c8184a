import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Takes the names in a folder to the disk, so that what was made there is found after a power cut; a file system that can not is let be. https://man7.org/linux/man-pages/man2/fsync.2.html */
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
