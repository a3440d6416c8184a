/** A body as text, or why it can't be read: too long, the client disconnected, or not UTF-8. */
export type TextBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'broken-off' }
  | { readonly kind: 'not-utf8' };

/** Reads a request's body; empty text if there is none. Stops reading after `most` bytes. */
export async function readTextBody(request: Request, most: number): Promise<TextBody> {
  const bytes = await readBytes(request, most);
  if (typeof bytes === 'string') return { kind: bytes };
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { kind: 'text', text: decoder.decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { kind: 'not-utf8' };
  }
}

async function readBytes(
  request: Request,
  most: number,
): Promise<Uint8Array | 'too-long' | 'broken-off'> {
  if (Number(request.headers.get('content-length') ?? 0) > most) return 'too-long';
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > most) return 'too-long';
      chunks.push(value);
    }
  } catch (error) {
    // The client disconnected.
    if (!request.signal.aborted) throw error;
    return 'broken-off';
  } finally {
    reader.releaseLock();
  }
}
