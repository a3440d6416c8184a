import type { Person } from '../people/person.ts';

/** Nothing new runs anywhere until somebody ends it. */
export interface Pause {
  readonly by: Person;
  readonly at: number;
  /** The channels in which it was announced, to be told of its end. */
  readonly channels?: readonly string[];
}
