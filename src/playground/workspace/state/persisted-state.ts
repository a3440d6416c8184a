import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJson, parseJson } from '../json-value.ts';

/** What outlives a restart of the workspace. */
type KeptKind =
  | 'message'
  | 'channel'
  | 'group'
  | 'session'
  | 'offer'
  | 'refund'
  | 'transfer'
  | 'delivery'
  | 'done';

/** What a workspace knows from before, and where it notes what changes: the last value of each key counts. */
export interface PersistedState {
  /** The values that are kept now. */
  all(kind: KeptKind): readonly unknown[];
  /** Keeps a value; without one the key is forgotten. */
  keep(kind: KeptKind, key: string, value?: unknown): void;
}

/** Keeps nothing: the workspace is as new at each start. */
export const NO_PERSISTENCE: PersistedState = { all: () => [], keep: () => undefined };

/** A state that is kept in a file. */
export interface PersistedFile extends PersistedState {
  /** Writes the file anew, without what was overwritten. Only the process that owns the folder may. */
  compact(): void;
  close(): void;
}

/** Opens the file and reads what it holds; nothing is written before the first change. Each change is handed to the system before it counts, so a process that is killed loses none. */
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
    // What is no entry is one that a crash has cut short: each begins a new line.
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
