import type { Person } from './person.ts';

/** What a person is to the workspace; `stranger` comes from another one, `gone` was deactivated. */
export type Standing = 'member' | 'guest' | 'stranger' | 'bot' | 'gone';

/** What the workspace knows of a person. */
export interface Profile {
  readonly standing: Standing;
  /** Admin or owner of the workspace, or named in `ADMIN_USERS`. */
  readonly isAdmin: boolean;
}

/** Who people are; answers may be a few minutes old. Rejects when it can't be told now. */
export interface Directory {
  profileOf(person: Person): Promise<Profile>;
}
