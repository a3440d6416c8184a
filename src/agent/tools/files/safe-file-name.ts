/** Most file systems take 255 bytes; a suffix of our own must fit too. */
const MAX_BYTES = 180;

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
    .replace(/[\s.]*\./gu, '.')
    .replace(/^[\s.-]+|[\s.]+$/gu, '');
  const [extension = ''] = /(?<=.)\.[A-Za-z0-9]{1,20}$/u.exec(plain) ?? [];
  const room = MAX_BYTES - Buffer.byteLength(extension);
  const stem = cut(plain.slice(0, plain.length - extension.length), room);
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
