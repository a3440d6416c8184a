import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates an empty folder and returns how to remove it with its content. */
export async function makeTempDir(): Promise<{
  readonly path: string;
  readonly remove: () => Promise<void>;
}> {
  const path = await mkdtemp(join(tmpdir(), 'countersign-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
