/** Most file systems allow 255 bytes; our own suffix must fit too. */
const MAX_BYTES = 180;

/** A file name in two parts: `stem + extension` is the full name. */
export interface SafeFileName {
  readonly stem: string;
  /** With its dot; empty if there is none. */
  readonly extension: string;
}

/**
 * Makes a name safe for any file system: no separators, no control or invisible characters, none that are
 * special to shells or Windows, no dot at either end, and of limited length.
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
