import type { CardPlace } from '../calls/call.ts';
import type { Person } from '../people/person.ts';

/**
 * What people can see in the workspace. If a lookup fails, a channel counts as closed and a message
 * as present.
 */
export interface Visibility {
  /**
   * Returns whether a person can open a channel: as a member of it, or of the workspace if it is
   * public.
   */
  canOpen(person: Person, channel: string): Promise<boolean>;
  /** Returns whether a message is known to be deleted. */
  isGone(place: CardPlace): Promise<boolean>;
}
