import type { KnownBlock } from '@slack/types';
import type { Desk } from '../../desk/desk.ts';
import type { CardPlace } from '../../domain/call.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/log.ts';
import type { Person } from '../../domain/person.ts';
import { BUDGET } from '../limits.ts';
import { goBack, type HomePlace } from './home-place.ts';
import type { HomeContent } from './home-view.ts';

/** The part of Home that admins have; nothing for everybody else. */
export type AdminPart = (person: Person) => Promise<readonly KnownBlock[]>;

/** What a Home is read from. */
export interface HomeSources {
  readonly desk: Pick<Desk, 'listWaiting' | 'listAsked'>;
  readonly cardOf: (callId: string) => Promise<CardPlace | undefined>;
  readonly adminPart?: AdminPart | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Reads what a person's Home has to tell at a place in its lists; a page that has become empty gives way to the one before. */
export async function readHome(
  sources: HomeSources,
  person: Person,
  place: HomePlace,
): Promise<HomeContent> {
  const { desk, clock } = sources;
  const [waiting, asked, adminPart] = await Promise.all([
    desk.listWaiting(person, { after: place.waiting.at(-1), limit: BUDGET.homeWaiting }),
    desk.listAsked(person, { after: place.asked.at(-1), limit: BUDGET.homeAsked }),
    readAdminPart(sources, person),
  ]);
  const page = waiting.kind === 'page' ? waiting : { calls: [], next: undefined };
  if (place.waiting.length > 0 && page.calls.length === 0 && page.next === undefined) {
    return await readHome(sources, person, goBack(place, 'waiting'));
  }
  if (place.asked.length > 0 && asked.open.length === 0) {
    return await readHome(sources, person, goBack(place, 'asked'));
  }
  const calls = [...page.calls, ...asked.open, ...asked.over];
  const cards = await readCards(
    sources,
    calls.map(({ id }) => id),
  );
  return { waiting, asked, place, cards, adminPart, at: clock.now() };
}

async function readCards({ cardOf }: HomeSources, ids: readonly string[]) {
  const places = await Promise.all(
    [...new Set(ids)].map(async (id) => [id, await cardOf(id)] as const),
  );
  return new Map(places.flatMap(([id, place]) => (place === undefined ? [] : [[id, place]])));
}

/** Without its part an admin still decides. */
async function readAdminPart(
  { adminPart, log }: HomeSources,
  person: Person,
): Promise<readonly KnownBlock[]> {
  try {
    return (await adminPart?.(person)) ?? [];
  } catch (error) {
    log.error({ err: error, person }, 'The part of Home that admins have could not be read.');
    const text = 'The part for admins could not be read: something broke on my side.';
    return [{ type: 'section', text: { type: 'mrkdwn', text: `:warning: ${text}` } }];
  }
}
