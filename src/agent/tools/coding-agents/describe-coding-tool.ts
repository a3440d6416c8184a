/**
 * Describes what common tools of coding agents would do, from their arguments. Calls with arguments of
 * any other shape get no description.
 */
import type { JsonValue } from '../../../domain/json/json.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { ToolUseDescription } from './argument-reader.ts';
import { COMMAND_READERS } from './commands.ts';
import { FILE_CHANGE_READERS } from './file-changes.ts';
import { LOOKUP_READERS } from './lookups.ts';

const READERS = [...COMMAND_READERS, ...FILE_CHANGE_READERS, ...LOOKUP_READERS];

/** Returns the describing functions for a tool; none if the tool is unknown. */
export function describeCodingTool(name: string): Pick<Tool, 'summary' | 'preview'> {
  const readers = READERS.filter(([names]) => names.includes(name)).map(([, read]) => read);
  if (readers.length === 0) return {};
  const describeArguments = (args: JsonValue): ToolUseDescription | undefined => {
    for (const read of readers) {
      const description = read(args);
      if (description) return description;
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
