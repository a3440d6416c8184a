/** All replicas must use the same workspace folder. A file in the folder names the desk that it belongs to. */
import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfPresent, writeIfAbsent } from '../files/write-if-absent.ts';
import type { ScriptRunner } from './connection/script-runner.ts';
import { setIfAbsent } from './set-if-absent.ts';

const NAME = '.countersign-workspace';
const EVERYBODY_READS = 0o644;

/** Returns why a folder is not the one that the other replicas use, or undefined. The first replica's folder becomes the right one. */
export async function findSharingProblem(
  link: ScriptRunner,
  desk: string,
  folder: string,
): Promise<string | undefined> {
  const path = join(folder, NAME);
  const found = await readIfPresent(path);
  // Write the file first, so that two replicas starting on one folder read the same mark.
  const draft = Buffer.from(`${randomBytes(16).toString('hex')}\n`);
  const mark = (found ?? (await writeIfAbsent(path, draft, EVERYBODY_READS))).toString().trim();
  const kept = await setIfAbsent(link, desk, 'workspace', mark);
  if (kept === mark) return undefined;
  if (found === undefined) await unlink(path);
  return `WORKSPACE_DIR is not the folder that the other replicas of this Redis use (${NAME} in it ${found === undefined ? 'is missing' : 'names another one'}). Mount one shared volume on all of them, or write ${kept} into that file if this is the right folder.`;
}
