import type { Group } from '../../../src/domain/people/person.ts';
import type { GroupProfile, Profile } from '../../../src/domain/people/profile.ts';
import type { Directory, LookupOptions } from '../../../src/domain/ports/directory.ts';

/** A directory in which everybody is a member, but for those who are given by their user ids, and groups have who is put into them. */
export interface TestDirectory extends Directory {
  /** How often it was asked for people. */
  readonly asked: () => number;
  /** What was asked of groups, in order. */
  readonly askedGroups: readonly { readonly group: Group; readonly asking: LookupOptions }[];
  /** From now on it rejects with this; undefined ends it. */
  failWith(error: Error | undefined): void;
  /** From now on groups reject with this; undefined ends it. */
  failGroups(error: Error | undefined): void;
  /** Makes somebody somebody else. */
  setPerson(user: string, profile: Partial<Profile>): void;
  /** Puts these people into a group, in place of those who were in it. */
  setGroup(group: Group, users: readonly string[], more?: Partial<GroupProfile>): void;
}

/** Creates a directory of the tests. */
export function createTestDirectory(
  people: Readonly<Record<string, Partial<Profile>>> = {},
): TestDirectory {
  const known = new Map(Object.entries(people));
  const groups = new Map<Group, GroupProfile>();
  const askedGroups: { group: Group; asking: LookupOptions }[] = [];
  let asked = 0;
  let failure: Error | undefined;
  let groupFailure: Error | undefined;
  return {
    asked: () => asked,
    askedGroups,
    failWith(error) {
      failure = error;
    },
    failGroups(error) {
      groupFailure = error;
    },
    setPerson: (user, profile) => void known.set(user, profile),
    setGroup: (group, users, more = {}) =>
      void groups.set(group, { members: new Set(users), ...more }),
    async profileOf({ user }) {
      asked += 1;
      if (failure) throw failure;
      return { standing: 'member', isAdmin: false, ...known.get(user) };
    },
    async groupOf(group, asking = {}) {
      askedGroups.push({ group, asking });
      const error = failure ?? groupFailure;
      if (error) throw error;
      return groups.get(group) ?? { members: new Set(), missing: 'There is no such group.' };
    },
  };
}
