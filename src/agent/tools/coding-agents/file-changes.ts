import { z } from 'zod';
import { quotePath } from '../files/preview-change.ts';
import {
  type ArgumentReaders,
  createArgumentReader,
  flag,
  number,
  path,
  type ToolUseDescription,
  text,
  words,
} from './argument-reader.ts';
import { describePatch } from './describe-patch.ts';
import { diffReplacements, type Replacement } from './show-replacements.ts';

const write = (file: string, content: string): ToolUseDescription => {
  const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
  const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${Buffer.byteLength(content)} bytes`;
  const shown = quotePath(file);
  return {
    summary: `Write ${shown}`,
    preview: `Writes ${shown} (${size}), replacing its current content.`,
  };
};

const edit = (file: string, edits: readonly Replacement[]): ToolUseDescription => ({
  summary: `Edit ${quotePath(file)}${edits.length > 1 ? ` in ${edits.length} places` : ''}`,
  preview: diffReplacements(file, edits),
});

const CELLS = { replace: 'Edit a cell of', insert: 'Add a cell to', delete: 'Delete a cell of' };

export const FILE_CHANGE_READERS: ArgumentReaders = [
  [
    ['Write', 'write_file'],
    createArgumentReader({ file_path: path, content: text }, ({ file_path: file, content }) =>
      write(file, content),
    ),
  ],
  [
    ['write', 'create_file'],
    createArgumentReader({ filePath: path, content: text }, ({ filePath, content }) =>
      write(filePath, content),
    ),
  ],
  [
    ['write_to_file'],
    createArgumentReader({ path, content: text }, ({ path: file, content }) =>
      write(file, content),
    ),
  ],
  [
    ['create'],
    createArgumentReader({ path, file_text: text }, ({ path: file, file_text: content }) =>
      write(file, content),
    ),
  ],
  [
    ['Edit', 'edit_file', 'StrReplace'],
    createArgumentReader(
      { file_path: path, old_string: text, new_string: text, replace_all: flag },
      ({ file_path: file, old_string: old, new_string: now, replace_all: isAll }) =>
        edit(file, [{ old, now, isAll }]),
    ),
  ],
  [
    ['replace'],
    createArgumentReader(
      {
        file_path: path,
        old_string: text,
        new_string: text,
        instruction: words,
        expected_replacements: number,
        allow_multiple: flag,
      },
      ({
        file_path: file,
        old_string: old,
        new_string: now,
        expected_replacements: count = 1,
        allow_multiple: isMany,
      }) => edit(file, [{ old, now, isAll: isMany === true || count !== 1 }]),
    ),
  ],
  [
    ['edit', 'replace_string_in_file'],
    createArgumentReader(
      { filePath: path, oldString: text, newString: text, replaceAll: flag, explanation: words },
      ({ filePath, oldString: old, newString: now, replaceAll: isAll }) =>
        edit(filePath, [{ old, now, isAll }]),
    ),
  ],
  [
    ['edit'],
    createArgumentReader(
      { path, old_str: text, new_str: text },
      ({ path: file, old_str: old, new_str: now }) => edit(file, [{ old, now }]),
    ),
  ],
  [
    ['MultiEdit'],
    createArgumentReader(
      {
        file_path: path,
        edits: z
          .array(z.strictObject({ old_string: text, new_string: text, replace_all: flag }))
          .min(1),
      },
      ({ file_path: file, edits }) =>
        edit(
          file,
          edits.map(({ old_string: old, new_string: now, replace_all: isAll }) => ({
            old,
            now,
            isAll,
          })),
        ),
    ),
  ],
  [
    ['NotebookEdit'],
    createArgumentReader(
      {
        notebook_path: path,
        new_source: text,
        cell_id: words,
        cell_type: z.enum(['code', 'markdown']).optional(),
        edit_mode: z.enum(['replace', 'insert', 'delete']).optional(),
      },
      ({ notebook_path: file, new_source: source, cell_id: cell, edit_mode: mode = 'replace' }) => {
        const at = cell === undefined ? '' : `Cell ${JSON.stringify(cell)}\n`;
        return {
          summary: `${CELLS[mode]} ${quotePath(file)}`,
          preview: mode === 'delete' ? at.trim() || undefined : `${at}${source}`,
        };
      },
    ),
  ],
  [
    ['Delete', 'delete_file'],
    createArgumentReader({ path, explanation: words }, ({ path: file }) => ({
      summary: `Delete ${quotePath(file)}`,
    })),
  ],
  [
    ['apply_patch'],
    createArgumentReader(
      { input: text.optional(), command: text.optional(), patch: text.optional() },
      (args) => {
        const [only, other] = Object.values(args).filter((each) => each !== undefined);
        return only === undefined || other !== undefined ? undefined : describePatch(only);
      },
    ),
  ],
  [
    ['patch', 'apply_patch'],
    createArgumentReader({ patchText: text }, ({ patchText }) => describePatch(patchText)),
  ],
];
