import type { KnownBlock } from '@slack/types';
import type { Desk } from '../../desk/desk.ts';
import type { Person } from '../../domain/people/person.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import { buildNotice } from '../outbound/build-messages.ts';
import { describeQuarantined } from '../text/command-sentences.ts';

/**
 * Creates the section of App Home that lists damaged records for admins; empty for others, or if
 * there are none.
 */
export function createQuarantineSection({
  directory,
  desk,
}: {
  readonly directory: Pick<Directory, 'profileOf'>;
  readonly desk: Pick<Desk, 'listQuarantined'>;
}): (person: Person) => Promise<readonly KnownBlock[]> {
  return async (person) => {
    const profile = await directory.profileOf(person);
    const notice = profile.isAdmin ? describeQuarantined(await desk.listQuarantined()) : undefined;
    return notice === undefined ? [] : buildNotice(notice).blocks;
  };
}
