/** What a file is by its bytes, whatever its name and its sender say. */
export type FileKind =
  | { readonly kind: 'text' }
  /** An image that a model can be shown. */
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'other' };

/** Tells what a file is: UTF-8 without NUL characters is text; PNG, JPEG, WebP and GIFs that don't move are images. */
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

/** The first bytes of each kind of image; a dot stands for any byte. */
const IMAGES: readonly (readonly [start: string, mimeType: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF....WEBP', 'image/webp'],
];
/** The extension by which a GIF says how often it repeats; models refuse those that move. */
const MOVES = 'NETSCAPE2.0';

function imageTypeOf(bytes: Uint8Array): string | undefined {
  const [, mimeType] = IMAGES.find(([start]) => startsWith(bytes, start)) ?? [];
  const moves = mimeType === 'image/gif' && Buffer.from(bytes).includes(MOVES);
  return moves ? undefined : mimeType;
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
