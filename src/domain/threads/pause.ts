import type { Person } from '../people/person.ts';

/** A pause: nothing new runs anywhere until someone ends it. */
export interface Pause {
  readonly by: Person;
  readonly at: number;
  /** The channels where it was announced; its end is announced there too. */
  readonly channels?: readonly string[];
}
