import type { Person } from '../people/person.ts';
import type { Group } from '../policy/route.ts';

/** What a person is to the workspace; `stranger` comes from another one, `gone` was deactivated. */
export type WorkspaceMembership = 'member' | 'guest' | 'stranger' | 'bot' | 'gone';

/** What the workspace knows of a person. */
export interface Profile {
  readonly standing: WorkspaceMembership;
  /** Admin or owner of the workspace, or named in `ADMIN_USERS`. */
  readonly isAdmin: boolean;
  /** What people call them: chosen by themselves, and no proof of anything. */
  readonly name?: string;
  /** Where their clock is, by its IANA name, e.g. `Europe/Berlin`. */
  readonly timezone?: string;
}

/** What the workspace knows of a group of people. */
export interface GroupProfile {
  /** Ids of all who are in it, whatever their standing. */
  readonly members: ReadonlySet<string>;
  /** A user group's, without `@`. */
  readonly handle?: string;
  /** Why there is no such group for us, with what to mend, in words for people; it has no members then. */
  readonly missing?: string;
}

/** How somebody asks. */
export interface LookupOptions {
  /** How old an answer may be, in milliseconds; what is asked already is waited for. (Default: a few minutes for people, one for groups.) */
  readonly maxAgeMs?: number;
  /** Nobody's click hangs on it: waits for as long as it takes. */
  readonly mayWaitForLimit?: boolean;
}

/** Who people are, and who belongs together. Rejects when it can't be told now. */
export interface Directory {
  profileOf(person: Person, asking?: LookupOptions): Promise<Profile>;
  groupOf(group: Group, asking?: LookupOptions): Promise<GroupProfile>;
}
