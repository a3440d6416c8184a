/** What a power cut leaves of a database: what was synced, and of what was not as much as the disk happened to have written. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasePathIn } from '../../../src/stores/sqlite/open-database.ts';
import { SYNCED_FILES } from '../lean/watch-disk.ts';
import type { Random } from './random.ts';

/** What is left of what was written since the last sync: nothing, a random part, or all. */
export const TAILS = ['nothing', 'a part', 'all'] as const;
export type Tail = (typeof TAILS)[number];

/** What a disk writes whole or not at all. */
const SECTOR = 512;

/** Makes of a data folder whose process has died what a power cut at that moment would have left; `synced` is what `watchDisk` has kept. */
export function losePower(dataDir: string, synced: string, tail: Tail, random: Random): void {
  const database = databasePathIn(dataDir);
  for (const [name, suffix] of Object.entries(SYNCED_FILES)) {
    const path = `${database}${suffix}`;
    const kept = readIfThere(join(synced, name));
    writeFileSync(path, mix(kept, readIfThere(path), tail, random));
  }
  // It is memory of the processes that had the file open.
  rmSync(`${database}-shm`, { force: true });
}

function readIfThere(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

/** The synced file, with as much as is left of what was written to it since. */
function mix(synced: Buffer, written: Buffer, tail: Tail, random: Random): Buffer {
  if (tail === 'nothing') return synced;
  if (tail === 'all') return written;
  const sectors = Array.from({ length: Math.ceil(written.length / SECTOR) }, (_, i) => i * SECTOR);
  const changed = sectors.filter((at) => !sectorOf(synced, at).equals(sectorOf(written, at)));
  // In order up to a place, as mostly happens, and behind it as it comes.
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
