import type { IncomingMessage } from 'node:http';

/** Reads a request's body; `too-large` when it is longer than the limit, and the rest is not read. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | 'too-large'> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return 'too-large';
  const chunks: Buffer[] = [];
  let length = 0;
  // An answer must still go out over the same socket, so the request is not destroyed.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > limitBytes) return 'too-large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads what is left of a body and drops it, up to the limit: whoever still sends does not hear an answer when the line is cut. */
export async function discardBody(request: IncomingMessage, limitBytes: number): Promise<void> {
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > limitBytes) return;
    }
  } catch (error) {
    // The sender has gone: nobody waits for the answer.
    if (!request.destroyed) throw error;
  }
}
