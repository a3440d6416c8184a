/** Several replicas must work on one folder of files: a file in it says which desk it belongs to. */
import { randomBytes } from 'node:crypto';
import { link as putInPlace, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deskScript } from './desk-scripts.ts';
import { readText } from './read-reply.ts';
import type { RedisLink } from './redis-link.ts';

const NAME = '.countersign-workspace';

const KEEP_FIRST = deskScript(`
redis.call('SETNX',P..':workspace',ARGV[1])
return redis.call('GET',P..':workspace')`);

/** Finds out whether a folder is the one that the desk's other replicas work on; answers why it is not, or undefined. The first replica's folder is. */
export async function findSharingProblem(
  link: RedisLink,
  desk: string,
  folder: string,
): Promise<string | undefined> {
  const path = join(folder, NAME);
  const found = await readMark(path);
  // The file first: of two replicas that start at once on one folder, both read the same.
  const mark = found ?? (await makeMark(path));
  const kept = readText(await link.run(KEEP_FIRST, desk, [mark]));
  if (kept === mark) return undefined;
  if (found === undefined) await unlink(path);
  return `WORKSPACE_DIR is not the folder that the other replicas of this Redis work on (${NAME} in it ${found === undefined ? 'is missing' : 'names another one'}). Mount one shared volume on all of them, or write ${kept} into that file if this is the right folder.`;
}

async function readMark(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Puts a new mark where there is none, whole or not at all; resolves with the one that is there then. */
async function makeMark(path: string): Promise<string> {
  const mark = randomBytes(16).toString('hex');
  const draft = `${path}.${mark.slice(0, 8)}`;
  await writeFile(draft, `${mark}\n`, { flag: 'wx' });
  try {
    await putInPlace(draft, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  return (await readMark(path)) ?? mark;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
