import type { CardPlace } from '../calls/call.ts';
import type { Person } from '../people/person.ts';

/** What people can see of the workspace. What can't be told now counts as closed, and as there. */
export interface Visibility {
  /** Tells whether a person can open a channel: they are in it, or are a member where it is public. */
  canOpen(person: Person, channel: string): Promise<boolean>;
  /** Tells whether a message is known to be there no more. */
  isGone(place: CardPlace): Promise<boolean>;
}
