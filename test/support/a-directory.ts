import type { Directory, Profile } from '../../src/domain/directory.ts';

/** A directory in which everybody is a member, but for those who are given by their user ids. */
export interface TestDirectory extends Directory {
  /** How often it was asked. */
  readonly asked: () => number;
  /** From now on it rejects with this; undefined ends it. */
  failWith(error: Error | undefined): void;
}

/** Creates a directory of the tests. */
export function createTestDirectory(
  people: Readonly<Record<string, Partial<Profile>>> = {},
): TestDirectory {
  let asked = 0;
  let failure: Error | undefined;
  return {
    asked: () => asked,
    failWith(error) {
      failure = error;
    },
    async profileOf({ user }) {
      asked += 1;
      if (failure) throw failure;
      return { standing: 'member', isAdmin: false, ...people[user] };
    },
  };
}
