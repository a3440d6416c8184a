import type { Group, Person } from '../people/person.ts';
import type { GroupProfile, Profile } from '../people/profile.ts';

/** Options of a lookup. */
export interface LookupOptions {
  /**
   * Maximum age of a cached answer (ms). A lookup in progress is shared. (Default: a few minutes
   * for people, one for groups.)
   */
  readonly maxAgeMs?: number;
  /** No click waits for the answer, so rate limits may delay it. */
  readonly mayWaitForLimit?: boolean;
}

/** Looks up people and groups. Rejects if the lookup fails. */
export interface Directory {
  profileOf(person: Person, asking?: LookupOptions): Promise<Profile>;
  groupOf(group: Group, asking?: LookupOptions): Promise<GroupProfile>;
}
