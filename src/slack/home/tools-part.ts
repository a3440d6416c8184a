import type { KnownBlock } from '@slack/types';
import type { ToolControl } from '../../desk/control-tools.ts';
import type { Directory } from '../../domain/directory.ts';
import type { Person } from '../../domain/person.ts';
import { buildNotice } from '../say-parts.ts';
import { sayWaitingTools } from '../tool-words.ts';

/** Makes the part of App Home that tells an admin of tools that wait to be accepted; nothing for anybody else, or when none does. */
export function createToolsPart({
  directory,
  tools,
}: {
  readonly directory: Pick<Directory, 'profileOf'>;
  readonly tools: Pick<ToolControl, 'look'>;
}): (person: Person) => Promise<readonly KnownBlock[]> {
  return async (person) => {
    const profile = await directory.profileOf(person);
    if (!profile.isAdmin) return [];
    const found = await tools.look(person);
    if (found.kind !== 'tools' || found.changed.length === 0) return [];
    return buildNotice(sayWaitingTools(found.changed)).blocks;
  };
}
