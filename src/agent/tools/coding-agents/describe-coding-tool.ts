/**
 * What the common tools of coding agents would do, said from their arguments: our own words about a
 * program's call, and none where its arguments are not just as they have to be.
 */
import type { JsonValue } from '../../../domain/json/json.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { ToolUseDescription } from './argument-reader.ts';
import { COMMAND_READERS } from './commands.ts';
import { FILE_CHANGE_READERS } from './file-changes.ts';
import { LOOKUP_READERS } from './lookups.ts';

const READERS = [...COMMAND_READERS, ...FILE_CHANGE_READERS, ...LOOKUP_READERS];

/** What we say of a program's call; nothing where its tool is not one of these. */
export function describeCodingTool(name: string): Pick<Tool, 'summary' | 'preview'> {
  const readers = READERS.filter(([names]) => names.includes(name)).map(([, read]) => read);
  if (readers.length === 0) return {};
  const describeArguments = (args: JsonValue): ToolUseDescription | undefined => {
    for (const read of readers) {
      const said = read(args);
      if (said) return said;
    }
    return undefined;
  };
  return {
    summary: (args) => describeArguments(args)?.summary,
    async preview(args) {
      const shown = describeArguments(args)?.preview;
      return shown === undefined ? undefined : { text: shown };
    },
  };
}
