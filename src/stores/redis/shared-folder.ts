/** Several replicas must work on one folder of files: a file in it says which desk it belongs to. */
import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
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
  const draft = found ?? randomBytes(16).toString('hex');
  const mark = readText(await link.run(KEEP_FIRST, desk, [draft]));
  if (found === mark || (found === undefined && mark === draft && (await putMark(path, mark)))) {
    return undefined;
  }
  return `WORKSPACE_DIR is not the folder that the other replicas of this Redis work on (${NAME} in it ${found === undefined ? 'is missing' : 'names another one'}). Mount one shared volume on all of them, or write ${mark} into that file if this is the right folder.`;
}

async function readMark(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** False when another replica was faster: then the folder has its mark. */
async function putMark(path: string, mark: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx');
    await handle.writeFile(`${mark}\n`).finally(() => handle.close());
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      return (await readMark(path)) === mark;
    }
    throw error;
  }
}
