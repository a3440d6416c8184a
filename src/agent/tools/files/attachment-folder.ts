import { createHash } from 'node:crypto';
import type { AttachmentFolder } from '../../../domain/ports/file-ports.ts';
import { WorkspaceError } from './open-folder.ts';
import { toSafeFileName } from './safe-file-name.ts';
import type { WorkspaceBytes } from './workspace-bytes.ts';

/** The workspace folder for attached files. */
const INBOX = 'inbox';
const MAX_NAMES = 20;

/**
 * Creates the folder for attached files. Never overwrites a file, and saves the same bytes only
 * once per name. `off` says why nothing can be saved.
 */
export function createAttachmentFolder(files: WorkspaceBytes, off?: string): AttachmentFolder {
  async function addFirstFree(file: { id: string; name: string }, bytes: Uint8Array) {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    for (const path of pathsFor(file, sha256)) {
      if ((await files.add(path, bytes)) !== 'taken') {
        return { kind: 'saved', path, sha256 } as const;
      }
    }
    return rejectedFile('there are too many files with its name');
  }

  return {
    async save(file, bytes) {
      if (off !== undefined)
        return rejectedFile('the workspace folder is not shared with this machine');
      try {
        return await addFirstFree(file, bytes);
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error;
        // Drops the second half of the message: it is advice to the model.
        return rejectedFile(error.message.replace(/[;.].*$/s, ''));
      }
    },
  };
}

function rejectedFile(reason: string) {
  return { kind: 'refused', why: `it can’t be saved in the workspace: ${reason}.` } as const;
}

/** Always returns the same names in the same order, so that a retry finds the saved file. */
function pathsFor({ id, name }: { id: string; name: string }, sha256: string): string[] {
  const { stem, extension } = toSafeFileName(name);
  const suffix = /^[A-Za-z0-9]{1,40}$/.test(id) ? id : sha256.slice(0, 8);
  return Array.from(
    { length: MAX_NAMES },
    (_, tried) => `${INBOX}/${stem}${suffixOf(suffix, tried)}${extension}`,
  );
}

function suffixOf(suffix: string, tried: number): string {
  if (tried === 0) return '';
  return tried === 1 ? `-${suffix}` : `-${suffix}-${tried}`;
}
