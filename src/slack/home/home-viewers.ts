import type { Person } from '../../domain/people/person.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { HomeState } from './home-state.ts';

/** A person who opened the tab a short time ago. */
export interface HomeViewer {
  readonly person: Person;
  state: HomeState;
  until: number;
  /** The last published view without its time, and Slack's hash of it. */
  shown: string;
  hash: string | undefined;
  /** The result of their last action. */
  note: string | undefined;
  isDirty: boolean;
  readAt: number;
}

/** After this time without a click, a Home is no longer refreshed. */
const ACTIVE_MS = 15 * 60_000;
const MAX_VIEWERS = 200;

/** Creates the memory of the recent viewers. */
export function createHomeViewers(clock: Clock) {
  const viewers = new Map<string, HomeViewer>();

  return {
    of: ({ user }: Person): HomeViewer | undefined => viewers.get(user),
    all: (): readonly HomeViewer[] => [...viewers.values()],
    /** Returns the viewers who are still active, and forgets the others. */
    active(): readonly HomeViewer[] {
      for (const [user, { until }] of viewers) if (until <= clock.now()) viewers.delete(user);
      return [...viewers.values()];
    },
    /** Moves the viewer to the end, so that the oldest comes first. */
    remember(person: Person, state: HomeState, note: string | undefined): HomeViewer {
      const until = clock.now() + ACTIVE_MS;
      const fresh = { shown: '', hash: undefined, isDirty: false, readAt: 0 };
      const viewer: HomeViewer = viewers.get(person.user) ?? {
        ...fresh,
        person,
        state,
        note,
        until,
      };
      Object.assign(viewer, { state, note, until });
      viewers.delete(person.user);
      viewers.set(person.user, viewer);
      const [oldest] = viewers.keys();
      if (viewers.size > MAX_VIEWERS && oldest !== undefined) viewers.delete(oldest);
      return viewer;
    },
    forget: ({ user }: Person): void => {
      viewers.delete(user);
    },
  };
}
