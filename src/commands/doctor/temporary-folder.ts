import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Calls `use` with an empty folder, and removes it afterwards. */
export async function withTemporaryFolder<Result>(
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = await mkdtemp(join(tmpdir(), 'countersign-doctor-'));
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
