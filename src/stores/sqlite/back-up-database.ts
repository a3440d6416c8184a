import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, link, rm } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { keyFileIn } from '../files/key-file.ts';
import { databasePathIn } from './open-database.ts';
import { explainSqliteFailure } from './sqlite-failure.ts';

/** Files of a backup. */
export interface Backup {
  readonly database: string;
  /** The installation's key, without which no record counts as genuine. Absent if there was none yet. */
  readonly key?: string;
}

const OWNER_ONLY = 0o600;
/** In one step: otherwise each write of the app would restart the copy. */
const ALL_PAGES = 0x7fffffff;

/** Copies the database and the installation's key; the app may be running. All or nothing; never overwrites a file. Rejects with what to do. */
export async function backUpDatabase(dataDir: string, target: string): Promise<Backup> {
  const file = databasePathIn(dataDir);
  if (!existsSync(file)) {
    throw new Error(
      `There is nothing to back up: ${file} does not exist. Set DATA_DIR to the folder of the app’s records.`,
    );
  }
  const key = keyFileIn(dataDir);
  const keyTarget = `${target}.key`;
  for (const path of [target, keyTarget])
    if (existsSync(path)) throw new Error(describeThere(path));
  const draft = `${target}.part`;
  try {
    await copyPages(file, draft);
    await chmod(draft, OWNER_ONLY);
    const hasKey = existsSync(key);
    if (hasKey) await copyFile(key, keyTarget, constants.COPYFILE_EXCL);
    if (hasKey) await chmod(keyTarget, OWNER_ONLY);
    // Unlike a rename, this never replaces a file.
    await link(draft, target);
    return { database: target, ...(hasKey && { key: keyTarget }) };
  } catch (error) {
    throw explainSqliteFailure(error, target);
  } finally {
    for (const rest of [draft, `${draft}-wal`, `${draft}-shm`]) await rm(rest, { force: true });
  }
}

async function copyPages(file: string, draft: string): Promise<void> {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    await db.backup(draft, { progress: () => ALL_PAGES });
  } finally {
    db.close();
  }
  const copy = new Database(draft, { fileMustExist: true });
  try {
    // One file, without a log beside it.
    copy.pragma('journal_mode = DELETE');
    const found = copy.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') {
      throw new Error(`${file} is damaged (${found}), and so is its copy, which was removed.`);
    }
  } finally {
    copy.close();
  }
}

function describeThere(path: string): string {
  return `${path} already exists, and a backup never overwrites a file. Choose another name.`;
}
