import type { Person } from '../../domain/people/person.ts';
import type { Profile } from '../../domain/people/profile.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import type { DeskDeps } from '../deps.ts';

/** Shown to a person whose profile Slack can't provide right now. */
export const PROFILE_UNAVAILABLE =
  'I can’t look you up in Slack right now, so nothing happened. Please try again.';

/** Looks up a person's profile; undefined if the lookup fails. */
export async function findProfile(
  { directory, log }: Pick<DeskDeps, 'directory' | 'log'>,
  by: Person,
  options?: Parameters<Directory['profileOf']>[1],
): Promise<Profile | undefined> {
  try {
    return await directory.profileOf(by, options);
  } catch (error) {
    log.warn({ err: error, person: by }, 'Could not look up a person.');
    return undefined;
  }
}
