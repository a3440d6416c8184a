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

/** Makes the tool that hands a file of the workspace to the people in the thread. What the card showed of it is what is sent. */
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
      throw new WorkspaceError(`${file} is empty; Slack takes no such file.`);
    return found.bytes;
  }

  return defineTool({
    name: 'send_file',
    description:
      'Hands a file of the workspace to the people in this Slack thread. It sends the file as it was when the call was made: call it only after the file is written.',
    schema: z.object({
      path,
      comment: z.string().max(2_000).optional().describe('Words that go with the file, plain'),
    }),
    risk: 'medium',
    async run({ path: file, comment }, { signal, thread, basis }) {
      const bytes = await read(file);
      if (basis !== undefined && digestOf(bytes) !== basis) {
        throw new Error(
          `${file} is not what the card showed any more, so it was not sent. Call send_file again, and people decide on the file as it is now.`,
        );
      }
      const name = nameOf(file);
      await send({ thread, name, bytes, ...(comment !== undefined && { comment }) }, signal);
      return `Sent ${file} (${bytes.length} bytes) into the thread.`;
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

/** Says what would be sent, by its bytes. */
function describe(file: string, bytes: Uint8Array): string {
  const kind = fileKindOf(bytes);
  return [
    'Sends a file to everybody who can read this thread.',
    `SHA-256: ${digestOf(bytes).slice(0, 16)}…`,
    `Size: ${bytes.length} bytes`,
    `Type: ${kindName(kind)}`,
    `Name: ${nameOf(file)}`,
    ...(kind.kind === 'text' ? [beginningOf(bytes)] : []),
  ].join('\n');
}

function beginningOf(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (text.length <= MAX_SHOWN) return `It holds:\n${text}`;
  return `It begins with:\n${text.slice(0, MAX_SHOWN)}…`;
}
