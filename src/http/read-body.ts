import type { IncomingMessage } from 'node:http';

/** Reads a request's body. Returns `too-large`, without reading the rest, if it exceeds the limit. */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Buffer | 'too-large'> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return 'too-large';
  const chunks: Buffer[] = [];
  let length = 0;
  // The response must still use this socket, so the request is not destroyed.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > limitBytes) return 'too-large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads and drops the rest of a body, up to the limit. A client that is still sending would miss the response if the connection closed. */
export async function discardBody(request: IncomingMessage, limitBytes: number): Promise<void> {
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length;
      if (length > limitBytes) return;
    }
  } catch (error) {
    // The client disconnected.
    if (!request.destroyed) throw error;
  }
}
