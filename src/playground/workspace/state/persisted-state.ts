import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJson, parseJson } from '../json-value.ts';

/** The kinds of state that survive a restart of the workspace. */
type StateKind =
  | 'message'
  | 'channel'
  | 'group'
  | 'session'
  | 'offer'
  | 'refund'
  | 'transfer'
  | 'delivery'
  | 'done';

/** Persisted state. The last value of each key counts. */
export interface PersistedState {
  /** Returns the current values. */
  all(kind: StateKind): readonly unknown[];
  /** Stores a value; without one, deletes the key. */
  keep(kind: StateKind, key: string, value?: unknown): void;
}

/** Stores nothing: the workspace is new at each start. */
export const NO_PERSISTENCE: PersistedState = { all: () => [], keep: () => undefined };

/** State persisted in a file. */
export interface PersistedFile extends PersistedState {
  /**
   * Rewrites the file without overwritten values. Only the process that owns the folder may call
   * it.
   */
  compact(): void;
  close(): void;
}

/**
 * Opens and reads the file. Nothing is written before the first change. Each change is written to
 * the OS before it counts, so a killed process loses none.
 */
export function openPersistedFile(path: string): PersistedFile {
  const kinds = read(path);
  let file: number | undefined;
  const write = (line: string) => {
    if (file === undefined) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      file = openSync(path, 'a', 0o600);
    }
    writeSync(file, line);
  };
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    all: (kind) => [...(kinds.get(kind)?.values() ?? [])],
    keep: (kind, key, value) => {
      put(kinds, kind, key, value);
      write(toLine(kind, key, value));
    },
    compact: () => {
      if (kinds.size === 0) return;
      close();
      const next = `${path}.new`;
      const all = [...kinds].flatMap(([kind, values]) =>
        [...values].map(([key, value]) => toLine(kind, key, value)),
      );
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const fresh = openSync(next, 'w', 0o600);
      writeSync(fresh, all.join(''));
      closeSync(fresh);
      renameSync(next, path);
    },
    close,
  };
}

type Kinds = Map<string, Map<string, unknown>>;

function put(kinds: Kinds, kind: string, key: string, value: unknown): void {
  const values = kinds.get(kind) ?? new Map<string, unknown>();
  kinds.set(kind, values);
  if (value === undefined) values.delete(key);
  else values.set(key, value);
}

function toLine(kind: string, key: string, value: unknown): string {
  return `\n${JSON.stringify({ kind, key, value })}`;
}

function read(path: string): Kinds {
  const kinds: Kinds = new Map();
  for (const line of readText(path).split('\n')) {
    const entry = parseJson(line);
    // Invalid lines are entries cut off by a crash: each entry starts a new line.
    if (!isJson(entry) || typeof entry.kind !== 'string' || typeof entry.key !== 'string') continue;
    put(kinds, entry.kind, entry.key, entry.value);
  }
  return kinds;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
