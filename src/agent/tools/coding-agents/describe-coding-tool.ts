/**
 * What the common tools of coding agents would do, said from their arguments: our own words about a
 * program's call, and none where its arguments are not just as they have to be.
 */
import type { JsonValue } from '../../../domain/json/json.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { Said } from './argument-reader.ts';
import { COMMANDS } from './commands.ts';
import { CHANGES } from './file-changes.ts';
import { LOOK_UPS } from './lookups.ts';

const READERS = [...COMMANDS, ...CHANGES, ...LOOK_UPS];

/** What we say of a program's call; nothing where its tool is not one of these. */
export function describeCodingTool(name: string): Pick<Tool, 'summary' | 'preview'> {
  const readers = READERS.filter(([names]) => names.includes(name)).map(([, read]) => read);
  if (readers.length === 0) return {};
  const say = (args: JsonValue): Said | undefined => {
    for (const read of readers) {
      const said = read(args);
      if (said) return said;
    }
    return undefined;
  };
  return {
    summary: (args) => say(args)?.summary,
    async preview(args) {
      const shown = say(args)?.preview;
      return shown === undefined ? undefined : { text: shown };
    },
  };
}
