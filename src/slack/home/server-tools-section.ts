import type { KnownBlock } from '@slack/types';
import type { ServerToolControl } from '../../desk/control/server-tools.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import { buildNotice } from '../outbound/build-messages.ts';
import { describeWaitingTools } from './server-tool-texts.ts';

/**
 * Creates the section of App Home that lists changed tools for admins to accept; empty for others,
 * or if there are none.
 */
export function createServerToolsSection({
  directory,
  tools,
}: {
  readonly directory: Pick<Directory, 'profileOf'>;
  readonly tools: Pick<ServerToolControl, 'list'>;
}): (person: Person) => Promise<readonly KnownBlock[]> {
  return async (person) => {
    const profile = await directory.profileOf(person);
    if (!profile.isAdmin) return [];
    const found = await tools.list(person);
    if (found.kind !== 'tools' || found.changed.length === 0) return [];
    return buildNotice(describeWaitingTools(found.changed)).blocks;
  };
}
