import type { KnownBlock } from '@slack/types';
import type { ServerToolControl } from '../../desk/control/server-tools.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import { buildNotice } from '../outbound/build-messages.ts';
import { describeWaitingTools } from '../text/server-tool-texts.ts';

/** Makes the part of App Home that tells an admin of tools that wait to be accepted; nothing for anybody else, or when none does. */
export function createServerToolsSection({
  directory,
  tools,
}: {
  readonly directory: Pick<Directory, 'profileOf'>;
  readonly tools: Pick<ServerToolControl, 'look'>;
}): (person: Person) => Promise<readonly KnownBlock[]> {
  return async (person) => {
    const profile = await directory.profileOf(person);
    if (!profile.isAdmin) return [];
    const found = await tools.look(person);
    if (found.kind !== 'tools' || found.changed.length === 0) return [];
    return buildNotice(describeWaitingTools(found.changed)).blocks;
  };
}
