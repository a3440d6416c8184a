/** Ports for the files that people attach, and for those that the agent hands back. */
import type { Attachment, InboxMessage, UserImage } from '../threads/message.ts';
import type { ThreadKey } from '../threads/thread-key.ts';

/** What was refused for good; `why` is a clause that goes on after the file's name and a colon. */
export interface RejectedFile {
  readonly kind: 'refused';
  readonly why: string;
}

/** Where attached files come from. */
export interface AttachmentSource {
  /** Reads a file, at most `maxBytes` of it: a larger one is refused. Rejects with a `ChatError` for what passes by itself, and when the signal aborts. */
  fetch(
    file: Attachment,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<{ readonly kind: 'bytes'; readonly bytes: Uint8Array } | RejectedFile>;
}

/** Where attached files are put: a folder of the agent's workspace. */
export interface AttachmentFolder {
  /** Saves a file under a name that is safe and free, whole or not at all; the same bytes again are the same file. Resolves with its path in the workspace and the hexadecimal hash of its bytes. */
  save(
    file: Pick<Attachment, 'id' | 'name'>,
    bytes: Uint8Array,
  ): Promise<
    { readonly kind: 'saved'; readonly path: string; readonly sha256: string } | RejectedFile
  >;
}

/** A message whose files have been taken in: its text names them. */
export interface MessageWithFiles extends InboxMessage {
  readonly images?: readonly UserImage[];
}

/** A file of the workspace on its way into a thread. */
export interface FileToSend {
  readonly thread: ThreadKey;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Plain words of the agent's: nothing in them is markup. */
  readonly comment?: string;
}

/** Puts a file into a thread, for whoever can read there. Rejects with a sentence that says why it did not arrive, or may have. */
export type SendFile = (file: FileToSend, signal: AbortSignal) => Promise<void>;

const MAX_SHOWN_NAME = 120;

/** Writes a stranger's file name so that it can stand in a sentence: one line, of bounded length, without markup. */
export function shownFileName(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .replaceAll('<', '‹')
    .replaceAll('>', '›');
  const chars = [...plain];
  if (chars.length === 0) return 'a file without a name';
  return chars.length > MAX_SHOWN_NAME ? `${chars.slice(0, MAX_SHOWN_NAME).join('')}…` : plain;
}
