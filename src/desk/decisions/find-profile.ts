import type { Person } from '../../domain/people/person.ts';
import type { Profile } from '../../domain/ports/directory.ts';
import type { DeskDeps } from '../deps.ts';

/** What a person is told whom Slack does not tell from another right now. */
export const PROFILE_UNAVAILABLE =
  'Slack does not tell me who you are right now, so nothing happened. Please try again.';

/** Asks who somebody is; undefined when that can't be told now. */
export async function findProfile(
  { directory, log }: Pick<DeskDeps, 'directory' | 'log'>,
  by: Person,
): Promise<Profile | undefined> {
  try {
    return await directory.profileOf(by);
  } catch (error) {
    log.warn({ err: error, person: by }, 'Nobody could tell who a person is.');
    return undefined;
  }
}
