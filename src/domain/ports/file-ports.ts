/** Ports for files that people attach and files that the agent sends. */
import type { Attachment, InboxMessage, UserImage } from '../threads/message.ts';
import type { ThreadKey } from '../threads/thread-key.ts';

/** A permanent rejection. `why` is a clause that follows the file's name and a colon. */
export interface RejectedFile {
  readonly kind: 'refused';
  readonly why: string;
}

/** Where attached files come from. */
export interface AttachmentSource {
  /**
   * Fetches a file. A file larger than `maxBytes` is rejected. Throws `ChatError` for temporary
   * failures; also rejects if aborted.
   */
  fetch(
    file: Attachment,
    options: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<{ readonly kind: 'bytes'; readonly bytes: Uint8Array } | RejectedFile>;
}

/** Where attached files are stored: a folder of the agent's workspace. */
export interface AttachmentFolder {
  /**
   * Saves a file atomically under a safe, unused name. Equal bytes reuse the same file. Returns its
   * workspace path and the hex SHA-256 of its bytes.
   */
  save(
    file: Pick<Attachment, 'id' | 'name'>,
    bytes: Uint8Array,
  ): Promise<
    { readonly kind: 'saved'; readonly path: string; readonly sha256: string } | RejectedFile
  >;
}

/** A message whose files have been saved. Its text names them. */
export interface MessageWithFiles extends InboxMessage {
  readonly images?: readonly UserImage[];
}

/** A workspace file to send to a thread. */
export interface FileToSend {
  readonly thread: ThreadKey;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Plain text by the agent, not markup. */
  readonly comment?: string;
}

/**
 * Sends a file to a thread. Rejects with a sentence that says why it was not delivered, or may have
 * been.
 */
export type SendFile = (file: FileToSend, signal: AbortSignal) => Promise<void>;

const MAX_SHOWN_NAME = 120;

/** Formats an untrusted file name for use in a sentence: one line, limited length, no markup. */
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
