/** The kind of a file, judged by its bytes only, not by its name or sender. */
export type FileKind =
  | { readonly kind: 'text' }
  /** An image that a model can read. */
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'other' };

/**
 * Detects a file's kind. Text is UTF-8 without NUL. Images are PNG, JPEG, WebP and GIFs that are
 * not animated.
 */
export function fileKindOf(bytes: Uint8Array): FileKind {
  const mimeType = imageTypeOf(bytes);
  if (mimeType !== undefined) return { kind: 'image', mimeType };
  return isText(bytes) ? { kind: 'text' } : { kind: 'other' };
}

/** Names a kind of file, for people and models. */
export function kindName(kind: FileKind): string {
  if (kind.kind === 'image') return kind.mimeType;
  return kind.kind === 'text' ? 'text' : 'not text';
}

/** First bytes of each image type; a dot matches any byte. */
const IMAGES: readonly (readonly [start: string, mimeType: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF....WEBP', 'image/webp'],
];
/** The GIF extension that sets the loop count. Models reject animated GIFs. */
const LOOP_EXTENSION = 'NETSCAPE2.0';

function imageTypeOf(bytes: Uint8Array): string | undefined {
  const [, mimeType] = IMAGES.find(([start]) => startsWith(bytes, start)) ?? [];
  const isAnimated = mimeType === 'image/gif' && Buffer.from(bytes).includes(LOOP_EXTENSION);
  return isAnimated ? undefined : mimeType;
}

function startsWith(bytes: Uint8Array, start: string): boolean {
  return [...start].every((char, at) => char === '.' || bytes[at] === char.charCodeAt(0));
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
