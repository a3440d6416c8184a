import type { Attachment } from '../state/backend.ts';

/** The largest file that can be attached to a message. */
const MAX_ATTACHMENT_BYTES = 1_000_000;

/** Reads a chosen file for sending. Rejects if it is too large. */
export async function readAttachment(file: File): Promise<Attachment> {
  if (file.size > MAX_ATTACHMENT_BYTES) {
    throw new Error(`${file.name} is too large: the playground takes files of up to 1 MB.`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return {
    name: file.name,
    mimetype: file.type || 'application/octet-stream',
    base64: btoa(binary),
  };
}
