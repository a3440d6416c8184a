import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type SendFile, shownFileName } from '../../../domain/ports/file-ports.ts';
import { fileKindOf, kindName } from '../../../domain/text/file-kind.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { path } from './file-tools.ts';
import { WorkspaceError } from './open-folder.ts';
import { previewOrFailure, quotePath } from './preview-change.ts';
import type { WorkspaceBytes } from './workspace-bytes.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_SHOWN = 1_500;

/**
 * Creates the tool that sends a workspace file to the thread. It sends exactly the file that the
 * card showed.
 */
export function createSendFile({
  files,
  send,
}: {
  readonly files: WorkspaceBytes;
  readonly send: SendFile;
}): DefinedTool {
  async function read(file: string): Promise<Uint8Array> {
    const found = await files.read(file, MAX_BYTES);
    if (found.kind === 'nothing') {
      throw new WorkspaceError(`No such file: ${file}. list_files shows what is there.`);
    }
    if (found.kind === 'too-large') {
      throw new WorkspaceError(
        `${file} has ${found.size} bytes; at most ${MAX_BYTES / 1024 / 1024} MB can be sent.`,
      );
    }
    if (found.bytes.length === 0)
      throw new WorkspaceError(`${file} is empty; Slack does not accept empty files.`);
    return found.bytes;
  }

  return defineTool({
    name: 'send_file',
    description:
      'Sends a file of the workspace to the people in this Slack thread. It sends the file as it was when you made the call, so call it only after the file is written.',
    schema: z.object({
      path,
      comment: z.string().max(2_000).optional().describe('Plain text to send with the file'),
    }),
    risk: 'medium',
    async run({ path: file, comment }, { signal, thread, basis }) {
      const bytes = await read(file);
      if (basis !== undefined && digestOf(bytes) !== basis) {
        throw new Error(
          `${file} has changed since the card showed it, so it was not sent. Call send_file again, and people decide on the current file.`,
        );
      }
      const name = nameOf(file);
      await send({ thread, name, bytes, ...(comment !== undefined && { comment }) }, signal);
      return `Sent ${file} (${bytes.length} bytes) to the thread.`;
    },
    preview: ({ path: file }) =>
      previewOrFailure(async () => {
        const bytes = await read(file);
        return { text: describe(file, bytes), basis: digestOf(bytes) };
      }),
    summary: ({ path: file }) => `Send ${quotePath(file)} to this thread`,
  });
}

function nameOf(file: string): string {
  return shownFileName(file.split('/').findLast((name) => name !== '' && name !== '.') ?? file);
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Describes the file that would be sent. */
function describe(file: string, bytes: Uint8Array): string {
  const kind = fileKindOf(bytes);
  return [
    'Sends a file to everyone who can read this thread.',
    `SHA-256: ${digestOf(bytes).slice(0, 16)}…`,
    `Size: ${bytes.length} bytes`,
    `Type: ${kindName(kind)}`,
    `Name: ${nameOf(file)}`,
    ...(kind.kind === 'text' ? [beginningOf(bytes)] : []),
  ].join('\n');
}

function beginningOf(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (text.length <= MAX_SHOWN) return `Content:\n${text}`;
  return `Beginning of its content:\n${text.slice(0, MAX_SHOWN)}…`;
}
