/** Inspects a workspace path. A digest detects changes independently of the clock. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { type OpenFolder, statIfPresent, WorkspaceError } from './open-folder.ts';

/** A plain file. */
export interface FileEntry {
  readonly kind: 'file';
  readonly size: number;
  /** In milliseconds since 1970. */
  readonly modifiedAt: number;
  /**
   * SHA-256 of the content; for a very large file, of its beginning, end, size and modification
   * time.
   */
  readonly digest: string;
  /** For a very large file, its inode and change time, which programs cannot reset. */
  readonly touched: string | undefined;
  /** Undefined if the file is not UTF-8 text. */
  readonly text: string | undefined;
  /** Whether `text` is only the beginning. */
  readonly isCut: boolean;
}

/** The entry at a path. */
export type PathEntry =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'folder'; readonly isEmpty: boolean }
  | FileEntry;

/** Default limit for reading a file, in bytes. */
export const MAX_FILE_BYTES = 256 * 1024;
/** Hashing more would take longer than a card waits for its preview. */
const MAX_HASHED = 32 * 1024 * 1024;
const CHUNK = 256 * 1024;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const NOT_A_FILE = 'is a link or a special file; only plain files and folders can be used.';

/**
 * Returns whether two entries have the same bytes. Very large files are compared by their digest's
 * samples.
 */
export function hasSameBytes(found: PathEntry, seen: FileEntry): boolean {
  return found.kind === 'file' && found.size === seen.size && found.digest === seen.digest;
}

/** Returns whether a file's content is exactly this text. */
export function isExactText({ size, digest }: FileEntry, text: string): boolean {
  const bytes = Buffer.from(text);
  return size === bytes.length && digest === createHash('sha256').update(bytes).digest('hex');
}

/** Creates the error for a path that is not a plain file. */
export function notAFileError(shown: string): WorkspaceError {
  return new WorkspaceError(`${shown} ${NOT_A_FILE}`);
}

/** Inspects an entry of a folder. Reads the first `maxBytes` of a file as text. */
export async function inspectPath(
  folder: OpenFolder,
  name: string,
  shown: string,
  maxBytes: number,
): Promise<PathEntry> {
  const stats = await statIfPresent(folder.at(name));
  if (stats === undefined) return { kind: 'nothing' };
  if (stats.isDirectory()) {
    return { kind: 'folder', isEmpty: (await readdir(folder.at(name))).length === 0 };
  }
  if (!stats.isFile()) throw notAFileError(shown);
  // Non-blocking, because the file may have been replaced by a pipe meanwhile.
  const handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await readOpened(handle, shown, maxBytes);
  } finally {
    await handle.close();
  }
}

/** Reads the first `maxBytes` of a plain file as text. Unlike `inspectPath`, reads nothing else. */
export async function readBeginning(
  folder: OpenFolder,
  name: string,
  maxBytes: number,
): Promise<Pick<FileEntry, 'text' | 'isCut'>> {
  const handle = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notAFileError(name);
    const wanted = Math.min(stats.size, maxBytes);
    const chunks: Buffer[] = [];
    for await (const chunk of chunksFrom(handle, Buffer.alloc(Math.min(CHUNK, wanted)), 0, wanted))
      chunks.push(Buffer.from(chunk));
    const isCut = stats.size > maxBytes;
    return { text: decode(Buffer.concat(chunks), isCut), isCut };
  } finally {
    await handle.close();
  }
}

async function readOpened(handle: FileHandle, shown: string, maxBytes: number): Promise<FileEntry> {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) throw notAFileError(shown);
  const hash = createHash('sha256');
  const beginning: Buffer[] = [];
  let kept = 0;
  let size = 0;
  for await (const chunk of chunksOf(handle, Number(stats.size))) {
    hash.update(chunk);
    if (kept < maxBytes) beginning.push(Buffer.from(chunk.subarray(0, maxBytes - kept)));
    kept += chunk.length;
    size += chunk.length;
  }
  const isHuge = stats.size > MAX_HASHED;
  if (isHuge) hash.update(`\0${stats.size}:${stats.mtimeNs}`);
  const isCut = kept > maxBytes;
  return {
    kind: 'file',
    size: isHuge ? Number(stats.size) : size,
    modifiedAt: Number(stats.mtimeMs),
    digest: hash.digest('hex'),
    touched: isHuge ? `${stats.dev}:${stats.ino}:${stats.ctimeNs}` : undefined,
    text: decode(Buffer.concat(beginning), isCut),
    isCut,
  };
}

/** Reads a file up to its size when opened; of a very large file only both ends. */
async function* chunksOf(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(Math.min(CHUNK, size));
  const isHuge = size > MAX_HASHED;
  yield* chunksFrom(handle, buffer, 0, isHuge ? MAX_HASHED / 2 : size);
  if (isHuge) yield* chunksFrom(handle, buffer, size - MAX_HASHED / 2, size);
}

/** Reuses one buffer for all chunks: copy a chunk to keep it. */
async function* chunksFrom(
  handle: FileHandle,
  buffer: Buffer,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function decode(bytes: Uint8Array, isCut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // Streaming drops an incomplete character at the cut.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}
