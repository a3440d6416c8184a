/** Explains failures of SQLite and the file system to people. */
import { StoreUnavailableError } from '../../domain/ports/store.ts';

interface Remedy {
  readonly code: RegExp;
  /** Whether a retry may succeed once the cause is fixed; nothing was written. */
  readonly passes?: true;
  readonly why: string;
  readonly remedy: string;
}

const REMEDIES: readonly Remedy[] = [
  {
    code: /^(SQLITE_FULL|ENOSPC|EDQUOT)/,
    passes: true,
    why: 'the disk is full',
    remedy: 'Free some space on its disk. Nothing that was stored is lost.',
  },
  {
    code: /^(SQLITE_READONLY|SQLITE_PERM|EACCES|EPERM|EROFS)/,
    passes: true,
    why: 'it is not writable',
    remedy: 'Give the user that runs Countersign permission to write it, or set another DATA_DIR.',
  },
  {
    code: /^SQLITE_CANTOPEN_ISDIR|^EISDIR/,
    why: 'it is a folder where a file should be',
    remedy: 'Move the folder away, or set another DATA_DIR.',
  },
  {
    code: /^(ENOTDIR|EEXIST)/,
    why: 'there is a file where a folder should be',
    remedy: 'Move the file away, or set another DATA_DIR.',
  },
  {
    code: /^ELOOP/,
    why: 'its symbolic links form a loop',
    remedy: 'Fix the links, or set another DATA_DIR.',
  },
  {
    code: /^SQLITE_CANTOPEN/,
    passes: true,
    why: 'it can’t be opened',
    remedy: 'Check that it is a readable and writable file, or set another DATA_DIR.',
  },
  {
    code: /^(SQLITE_NOTADB|SQLITE_CORRUPT)/,
    why: 'it is damaged, or it is not a database',
    remedy: 'Restore countersign.db from a backup, or move it away to start with an empty one.',
  },
  {
    code: /^(SQLITE_BUSY|SQLITE_LOCKED)/,
    passes: true,
    why: 'another program has locked it',
    remedy: 'Close other programs that have the file open (a database browser, a backup).',
  },
  {
    code: /^(SQLITE_IOERR|EIO)/,
    why: 'its disk failed to read or write',
    remedy: 'Check the disk, and that DATA_DIR is not on a network share.',
  },
];

/** Explains what failed, why, and what to do. Errors that aren't storage failures are returned unchanged. */
export function explainSqliteFailure(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = REMEDIES.find((remedy) => remedy.code.test(code));
  if (!known) return error;
  const message = `${file} is not usable: ${known.why} (${code}). ${known.remedy}`;
  return known.passes
    ? new StoreUnavailableError(message, 'not-done', { cause: error })
    : new Error(message, { cause: error });
}
