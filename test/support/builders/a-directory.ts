import type { Group } from '../../../src/domain/people/person.ts';
import type { GroupProfile, Profile } from '../../../src/domain/people/profile.ts';
import type { Directory, LookupOptions } from '../../../src/domain/ports/directory.ts';

/** A directory in which everybody is a member, except for the given user ids, and groups have the people added to them. */
export interface TestDirectory extends Directory {
  /** The number of lookups of people. */
  readonly asked: () => number;
  /** The group lookups, in order. */
  readonly askedGroups: readonly { readonly group: Group; readonly asking: LookupOptions }[];
  /** From now on lookups of people reject with this; undefined ends it. */
  failWith(error: Error | undefined): void;
  /** From now on lookups of groups reject with this; undefined ends it. */
  failGroups(error: Error | undefined): void;
  /** Replaces the profile of a person. */
  setPerson(user: string, profile: Partial<Profile>): void;
  /** Replaces the members of a group. */
  setGroup(group: Group, users: readonly string[], more?: Partial<GroupProfile>): void;
}

/** Creates a test directory. */
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
