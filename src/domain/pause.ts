import type { Person } from './person.ts';

/** Nothing new runs anywhere until somebody ends it. */
export interface Pause {
  readonly by: Person;
  readonly at: number;
}
