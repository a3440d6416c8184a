import { z } from 'zod';
import { createKeyedQueues } from '../../../domain/runtime/keyed-queues.ts';
import { findSubstrings } from '../../../domain/text/find-substrings.ts';
import { type DefinedTool, defineTool } from '../define-tool.ts';
import { isExactText, MAX_FILE_BYTES, type PathEntry } from './inspect-path.ts';
import { splitPath, WorkspaceError } from './open-folder.ts';
import {
  assertBasisUnchanged,
  fileBasisOf,
  previewChange,
  previewOrFailure,
  quotePath,
} from './preview-change.ts';
import type { Workspace } from './workspace.ts';

const MAX_ENTRIES = 500;
/** The maximum size of an attached text. */
const MAX_READ_BYTES = 1024 * 1024;

/** The argument schema for a workspace path. */
export const path = z
  .string()
  .min(1)
  .superRefine(staysInside)
  .describe('Relative to the workspace, for example notes/todo.md');

/** Reports an invalid path as a validation error of its field, so it never reaches a card. */
function staysInside(value: string, { addIssue }: { addIssue(message: string): void }): void {
  try {
    splitPath(value);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    addIssue(error.message);
  }
}

type RunExclusive = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates the tools for files in the workspace. They cannot reach files outside. */
export function createFileTools(workspace: Workspace): readonly DefinedTool[] {
  const inQueue = createKeyedQueues();
  /**
   * Calls approved together run concurrently. Checking and changing a file must not interleave, or
   * a change could be lost.
   */
  const runExclusive: RunExclusive = (work) => inQueue('files', work);
  return [
    createListFiles(workspace),
    createReadFile(workspace),
    createWriteFile(workspace, runExclusive),
    createEditFile(workspace, runExclusive),
    createDeleteFile(workspace, runExclusive),
  ];
}

function createListFiles(workspace: Workspace): DefinedTool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists a folder of the workspace with the sizes of its files; folders end with a slash.',
    schema: z.object({
      path: z.string().default('.').describe('A folder, relative to the workspace'),
      recursive: z.boolean().default(false).describe('Whether to list what is in its folders too'),
    }),
    risk: 'low',
    idempotent: true,
    async run({ path: folder, recursive }) {
      const options = { isDeep: recursive, limit: MAX_ENTRIES };
      const { entries, isCut } = await workspace.list(folder, options);
      if (entries.length === 0) return `${folder} is empty.`;
      const lines = entries.map(({ path: entry, kind, size }) => {
        if (kind === 'folder') return `${entry}/`;
        return kind === 'file' ? `${entry} (${size} bytes)` : `${entry} (${kind}, not usable)`;
      });
      if (isCut)
        lines.push(`Only the first ${MAX_ENTRIES} entries are shown; list a folder below.`);
      return lines.join('\n');
    },
    summary: ({ path: folder }) =>
      folder === '.' ? 'List the workspace' : `List ${quotePath(folder)}`,
  });
}

function createReadFile(workspace: Workspace): DefinedTool {
  return defineTool({
    name: 'read_file',
    description: 'Reads a text file of the workspace, whole or from one line on.',
    schema: z.object({
      path,
      fromLine: z.int().min(1).default(1).describe('The first line to read, from 1'),
      lines: z
        .int()
        .min(1)
        .max(100_000)
        .optional()
        .describe('How many lines to read; all if absent'),
    }),
    risk: 'low',
    idempotent: true,
    async run({ path: file, fromLine, lines }) {
      const { text, isCut } = await readText(workspace, file, MAX_READ_BYTES);
      const from = fromLine - 1;
      const shown = text.split('\n').slice(from, lines === undefined ? undefined : from + lines);
      const part = shown.join('\n');
      return isCut
        ? `${part}\n[Only the first ${MAX_READ_BYTES / 1024} KB of ${file} were read.]`
        : part;
    },
    summary: ({ path: file }) => `Read ${quotePath(file)}`,
  });
}

function createWriteFile(workspace: Workspace, runExclusive: RunExclusive): DefinedTool {
  async function inspect(file: string) {
    const found = await workspace.look(file);
    if (found.kind === 'folder') throw new WorkspaceError(`${file} is a folder; name a file.`);
    return found;
  }
  return defineTool({
    name: 'write_file',
    description:
      'Writes a text file of the workspace: creates it, or replaces its whole content. To change a part, use edit_file.',
    schema: z.object({ path, content: z.string().describe('The whole new text of the file') }),
    risk: 'medium',
    idempotent: true,
    run: ({ path: file, content }, { signal, basis }) =>
      runExclusive(async () => {
        const found = await inspect(file);
        // A run before a crash may have written it already.
        if (found.kind !== 'file' || !isExactText(found, content)) {
          assertBasisUnchanged(file, found, basis);
          signal.throwIfAborted();
          await workspace.write(file, content, found);
        }
        return `Wrote ${Buffer.byteLength(content)} bytes to ${file}.`;
      }),
    previewed: ['content'],
    preview: ({ path: file, content }) =>
      previewOrFailure(async () => {
        const found = await inspect(file);
        return { text: previewChange(file, found, content), basis: fileBasisOf(found) };
      }),
    summary: ({ path: file }) => `Write ${quotePath(file)}`,
  });
}

function createEditFile(workspace: Workspace, runExclusive: RunExclusive): DefinedTool {
  async function edited(file: string, oldText: string, newText: string) {
    const { text, isCut, found } = await readText(workspace, file);
    if (isCut) {
      throw new WorkspaceError(
        `${file} is larger than ${MAX_FILE_BYTES / 1024} KB and can’t be edited.`,
      );
    }
    const [place, second] = findSubstrings(text, oldText, 2);
    if (place === undefined) {
      throw new WorkspaceError(
        `oldText does not occur in ${file}. It must match exactly, including spaces and line breaks; read_file shows the text.`,
      );
    }
    if (second !== undefined) {
      throw new WorkspaceError(
        `oldText occurs more than once in ${file}. Include more surrounding lines, so that it occurs once.`,
      );
    }
    const after = text.slice(0, place) + newText + text.slice(place + oldText.length);
    return { found, after };
  }
  return defineTool({
    name: 'edit_file',
    description:
      'Changes one place of a text file in the workspace: the one occurrence of oldText becomes newText.',
    schema: z.object({
      path,
      oldText: z.string().min(1).describe('Text that occurs exactly once in the file'),
      newText: z.string().describe('The replacement; empty to delete the text'),
    }),
    risk: 'medium',
    run: ({ path: file, oldText, newText }, { signal, basis }) =>
      runExclusive(async () => {
        const { found, after } = await edited(file, oldText, newText);
        assertBasisUnchanged(file, found, basis);
        signal.throwIfAborted();
        await workspace.write(file, after, found);
        return `Edited ${file}.`;
      }),
    previewed: ['oldText', 'newText'],
    preview: ({ path: file, oldText, newText }) =>
      previewOrFailure(async () => {
        const { found, after } = await edited(file, oldText, newText);
        return { text: previewChange(file, found, after), basis: fileBasisOf(found) };
      }),
    summary: ({ path: file }) => `Edit ${quotePath(file)}`,
  });
}

function createDeleteFile(workspace: Workspace, runExclusive: RunExclusive): DefinedTool {
  async function inspect(file: string) {
    const found = await workspace.look(file);
    if (found.kind === 'nothing') throw new WorkspaceError(`No such file: ${file}.`);
    if (found.kind === 'folder' && !found.isEmpty) {
      throw new WorkspaceError(`The folder ${file} is not empty. Delete what is in it first.`);
    }
    return found;
  }
  return defineTool({
    name: 'delete_file',
    description: 'Permanently deletes a file or an empty folder of the workspace.',
    schema: z.object({ path }),
    risk: 'high',
    run: ({ path: file }, { signal, basis }) =>
      runExclusive(async () => {
        const found = await inspect(file);
        assertBasisUnchanged(file, found, basis);
        signal.throwIfAborted();
        await workspace.delete(file, found);
        return `Deleted ${file}.`;
      }),
    preview: ({ path: file }) =>
      previewOrFailure(async () => {
        const found = await inspect(file);
        const basis = fileBasisOf(found);
        if (found.kind === 'file') return { text: previewChange(file, found, undefined), basis };
        return { text: `Deletes the empty folder ${file}.`, basis };
      }),
    summary: ({ path: file }) => `Delete ${quotePath(file)}`,
  });
}

async function readText(workspace: Workspace, file: string, maxBytes?: number) {
  const found: PathEntry = await workspace.look(file, maxBytes);
  if (found.kind === 'nothing') {
    throw new WorkspaceError(
      `No such file: ${file}. list_files shows what is there; write_file creates a file.`,
    );
  }
  if (found.kind === 'folder') {
    throw new WorkspaceError(`${file} is a folder; list_files shows what is in it.`);
  }
  if (found.text === undefined) {
    throw new WorkspaceError(
      `${file} is not a text file (${found.size} bytes); its bytes can’t be shown.`,
    );
  }
  return { text: found.text, isCut: found.isCut, found };
}
