/** Most file systems take 255 bytes; a suffix of our own must fit too. */
const MAX_BYTES = 180;
const MAX_EXTENSION = 20;

/** A file name in two: `stem + extension` is the whole of it. */
export interface SafeFileName {
  readonly stem: string;
  /** With its dot; empty when there is none. */
  readonly extension: string;
}

/**
 * Makes a name that is one plain name on any file system: no separators, no control or invisible
 * characters, nothing that shells or Windows read otherwise, no dot at either end, of bounded length.
 */
export function toSafeFileName(name: string): SafeFileName {
  const plain = name
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[/\\:*?"'`<>|$&;!()[\]{}~#%^]/g, '_')
    .replace(/\s+/gu, ' ')
    .replace(/^[\s.-]+|[\s.]+$/gu, '');
  const dot = plain.lastIndexOf('.');
  const isExtension = dot > 0 && plain.length - dot <= MAX_EXTENSION;
  const extension = isExtension ? plain.slice(dot) : '';
  const stem = cut(
    isExtension ? plain.slice(0, dot) : plain,
    MAX_BYTES - Buffer.byteLength(extension),
  );
  return { stem: stem.replace(/[\s.]+$/u, '') || 'file', extension };
}

function cut(text: string, maxBytes: number): string {
  let kept = '';
  let size = 0;
  for (const char of text) {
    size += Buffer.byteLength(char);
    if (size > maxBytes) break;
    kept += char;
  }
  return kept;
}
