/**
 * Keeps a copy of the synced data of a database: its log as of its last completed sync, and its file
 * as of the last checkpoint. A checkpoint is made here, as SQLite does by itself at a thousand pages,
 * so that a short run has some, and none happens during a statement:
 * it syncs the log, writes to the file, and syncs that. https://www.sqlite.org/wal.html
 */
import fs, { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { KillSwitch } from './kill-switch.ts';

/** The copied files of a database, by the ends of their names. */
export const SYNCED_FILES = { database: '', log: '-wal' } as const;

/** A watch of one database. */
export interface DiskWatch {
  /** The database is open; all writes to its file are synced. */
  opened(db: Database): void;
  /** Ends it, and closes the database. */
  end(close: () => Promise<void> | void): Promise<void>;
}

const SYNCS_PER_CHECKPOINT = 4;

const { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, readSync, statSync } = fs;

/** Watches a database that is about to be opened; its current files count as synced. */
export function watchDisk(database: string, folder: string, kill: KillSwitch): DiskWatch {
  const log = `${database}${SYNCED_FILES.log}`;
  let db: Database | undefined;
  let file: number | undefined;
  let syncs = 0;

  mkdirSync(folder, { recursive: true });
  keep('log', readIfThere(log));

  /** Completely or not at all: the process may be killed meanwhile. */
  function keep(name: keyof typeof SYNCED_FILES, bytes: Uint8Array): void {
    const draft = join(folder, `${name}.draft`);
    writeFileSync(draft, bytes);
    renameSync(draft, join(folder, name));
  }

  /** Uses a descriptor that stays open: closing any would release the SQLite locks of this process. */
  function keepDatabase(): void {
    if (file === undefined) return;
    const bytes = Buffer.alloc(fstatSync(file).size);
    readSync(file, bytes, 0, bytes.length, 0);
    keep('database', bytes);
  }

  function checkpoint(): void {
    const isSynced = db?.pragma('synchronous', { simple: true }) !== 0;
    const before = readFileSync(log);
    db?.pragma('wal_checkpoint(PASSIVE)');
    if (!isSynced) return;
    keep('log', before);
    kill.pass('amid a checkpoint of the log');
    keepDatabase();
    kill.pass('after a checkpoint of the log');
  }

  const isLog = (fd: number) => fstatSync(fd).ino === statSync(log, { throwIfNoEntry: false })?.ino;

  /** Returns what to do when the sync that starts now has ended. */
  function beginSync(): () => void {
    syncs += 1;
    const n = syncs;
    if (n % SYNCS_PER_CHECKPOINT === 0) checkpoint();
    kill.pass(`before sync ${n} of the log`);
    const bytes = readFileSync(log);
    return () => {
      keep('log', bytes);
      kill.pass(`after sync ${n} of the log`);
    };
  }

  replaceSyncs({
    fdatasync(fd, callback) {
      if (!isLog(fd)) return fdatasync(fd, callback);
      const ended = beginSync();
      fdatasync(fd, (error) => {
        if (!error) ended();
        callback(error);
      });
    },
    fdatasyncSync(fd) {
      if (!isLog(fd)) return fdatasyncSync(fd);
      const ended = beginSync();
      fdatasyncSync(fd);
      ended();
    },
  });

  return {
    opened(opened) {
      db = opened;
      file = openSync(database, 'r');
      db.pragma('wal_autocheckpoint = 0');
      keepDatabase();
    },
    async end(close) {
      replaceSyncs({ fdatasync, fdatasyncSync });
      await close();
      if (file !== undefined) closeSync(file);
    },
  };
}

interface Syncs {
  fdatasync(fd: number, callback: (error: NodeJS.ErrnoException | null) => void): void;
  fdatasyncSync(fd: number): void;
}

function replaceSyncs(syncs: Syncs): void {
  Object.assign(fs, syncs);
  syncBuiltinESMExports();
}

function readIfThere(path: string): Uint8Array {
  return fs.existsSync(path) ? readFileSync(path) : new Uint8Array();
}
