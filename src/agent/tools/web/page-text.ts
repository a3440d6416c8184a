import { Worker } from 'node:worker_threads';

/** Returns the kind of text of a content type; undefined if it is not text. */
export function textKindOf(contentType: string): 'html' | 'plain' | undefined {
  const [type = ''] = contentType.split(';');
  const name = type.trim().toLowerCase();
  if (name === 'text/html' || name === 'application/xhtml+xml') return 'html';
  if (/^text\/|^application\/(?:json|xml|.+\+(?:json|xml))$/.test(name)) return 'plain';
  return undefined;
}

const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i;

/** Decodes a page with the charset of its content type, else of its meta tag, else as UTF-8. */
export function decodePage(body: Uint8Array, contentType: string): string {
  const [, given] = /charset\s*=\s*"?([\w-]{1,40})/i.exec(contentType) ?? [];
  const start = new TextDecoder('latin1').decode(body.subarray(0, 1024));
  const [, own] = META_CHARSET.exec(start) ?? [];
  return decoderFor(given ?? own ?? 'utf-8').decode(body);
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // Unknown charset: most of the web is UTF-8.
    return new TextDecoder();
  }
}

/** Converts HTML in a separate thread: malicious pages can occupy the library for minutes. */
const WORKER = new URL('./html-to-text-worker.js', import.meta.url);
const MAX_HEAP_MB = 256;

/** Converts HTML to readable text in its own thread, which is terminated if `signal` aborts. */
export async function htmlToText(html: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const worker = new Worker(WORKER, {
    workerData: html,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  let stop = () => {};
  try {
    return await new Promise<string>((resolve, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      worker.once('message', resolve);
      worker.once('error', (error) =>
        reject(new Error('its HTML is too complex to read.', { cause: error })),
      );
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
