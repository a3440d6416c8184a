import { createHash } from 'node:crypto';
import type { AttachmentFolder } from '../../../domain/ports/file-ports.ts';
import { WorkspaceError } from './open-folder.ts';
import { toSafeFileName } from './safe-file-name.ts';
import type { WorkspaceBytes } from './workspace-bytes.ts';

/** The folder of the workspace that attached files are put into. */
const INBOX = 'inbox';
const MAX_NAMES = 20;

/** Makes the folder for attached files: what is there is never overwritten, and the same bytes are never saved twice under one name; `off` says why nothing can be saved here. */
export function createAttachmentFolder(files: WorkspaceBytes, off?: string): AttachmentFolder {
  async function addFirstFree(file: { id: string; name: string }, bytes: Uint8Array) {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    for (const path of pathsFor(file, sha256)) {
      if ((await files.add(path, bytes)) !== 'taken') {
        return { kind: 'saved', path, sha256 } as const;
      }
    }
    return rejectedFile('too many files have its name');
  }

  return {
    async save(file, bytes) {
      if (off !== undefined)
        return rejectedFile('this machine does not share the workspace folder');
      try {
        return await addFirstFree(file, bytes);
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error;
        // The second half of its sentences is advice to the model.
        return rejectedFile(error.message.replace(/[;.].*$/s, ''));
      }
    },
  };
}

function rejectedFile(reason: string) {
  return { kind: 'refused', why: `it can’t be saved in the workspace: ${reason}.` } as const;
}

/** The same names in the same order each time: whoever saves again finds what is there. */
function pathsFor({ id, name }: { id: string; name: string }, sha256: string): string[] {
  const { stem, extension } = toSafeFileName(name);
  const mark = /^[A-Za-z0-9]{1,40}$/.test(id) ? id : sha256.slice(0, 8);
  return Array.from(
    { length: MAX_NAMES },
    (_, tried) => `${INBOX}/${stem}${suffixOf(mark, tried)}${extension}`,
  );
}

function suffixOf(mark: string, tried: number): string {
  if (tried === 0) return '';
  return tried === 1 ? `-${mark}` : `-${mark}-${tried}`;
}
