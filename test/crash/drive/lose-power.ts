/** The state of a database after a power cut: all synced data, and as much of the rest as the disk happened to write. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasePathIn } from '../../../src/stores/sqlite/open-database.ts';
import { SYNCED_FILES } from '../lean/watch-disk.ts';
import type { Random } from './random.ts';

/** How much of the unsynced data is left: nothing, a random part, or all. */
export const TAILS = ['nothing', 'a part', 'all'] as const;
export type Tail = (typeof TAILS)[number];

/** The unit that a disk writes completely or not at all. */
const SECTOR = 512;

/** Turns the data folder of a dead process into what a power cut would have left; `synced` is the copy that `watchDisk` made. */
export function losePower(dataDir: string, synced: string, tail: Tail, random: Random): void {
  const database = databasePathIn(dataDir);
  for (const [name, suffix] of Object.entries(SYNCED_FILES)) {
    const path = `${database}${suffix}`;
    const kept = readIfThere(join(synced, name));
    writeFileSync(path, mix(kept, readIfThere(path), tail, random));
  }
  // It is shared memory of the processes that had the file open.
  rmSync(`${database}-shm`, { force: true });
}

function readIfThere(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

/** The synced file, with a part of the later writes. */
function mix(synced: Buffer, written: Buffer, tail: Tail, random: Random): Buffer {
  if (tail === 'nothing') return synced;
  if (tail === 'all') return written;
  const sectors = Array.from({ length: Math.ceil(written.length / SECTOR) }, (_, i) => i * SECTOR);
  const changed = sectors.filter((at) => !sectorOf(synced, at).equals(sectorOf(written, at)));
  // Usually in order up to a point, and in any order after it.
  const inOrder = random.below(changed.length + 1);
  const left = changed.filter((_, index) => index < inOrder || random.chance(0.5));
  const end = Math.min((left.at(-1) ?? -SECTOR) + SECTOR, written.length);
  const mixed = Buffer.alloc(Math.max(synced.length, end));
  synced.copy(mixed);
  for (const at of left) sectorOf(written, at).copy(mixed, at);
  return mixed;
}

function sectorOf(file: Buffer, at: number): Buffer {
  return file.subarray(at, at + SECTOR);
}
