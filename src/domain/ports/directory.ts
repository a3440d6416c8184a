import type { Person } from '../people/person.ts';
import type { Group } from '../policy/route.ts';

/**
 * A person's relation to the workspace. `stranger`: from another workspace; `gone`: deactivated.
 */
export type WorkspaceMembership = 'member' | 'guest' | 'stranger' | 'bot' | 'gone';

/** A person's workspace profile. */
export interface Profile {
  readonly standing: WorkspaceMembership;
  /** Admin or owner of the workspace, or listed in `ADMIN_USERS`. */
  readonly isAdmin: boolean;
  /** Display name. Chosen by the person, so it proves nothing. */
  readonly name?: string;
  /** IANA time zone, e.g. `Europe/Berlin`. */
  readonly timezone?: string;
}

/** A group's workspace profile. */
export interface GroupProfile {
  /** Ids of all members, whatever their membership. */
  readonly members: ReadonlySet<string>;
  /** Handle of a user group, without `@`. */
  readonly handle?: string;
  /** Why the group can't be used and how to fix that, for people. It then has no members. */
  readonly missing?: string;
}

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
