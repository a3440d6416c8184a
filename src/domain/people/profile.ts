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
