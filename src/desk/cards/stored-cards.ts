/** The stored card of a call, and the calls of its message that may share it. */
import type { Call, CardPlace } from '../../domain/calls/call.ts';
import {
  type CardCalls,
  type CardPosition,
  cardGroupOf,
  findCardPosition,
  groupIntoCards,
} from '../../domain/cards/shared-card.ts';
import type { DeskDeps } from '../deps.ts';

/** A card as stored now. */
export interface StoredCard extends CardPosition {
  readonly calls: CardCalls;
  /** Where each of its calls was last shown. */
  readonly places: ReadonlyMap<string, CardPlace>;
  /** Places of the other calls: what is found there is another card. */
  readonly others: readonly CardPlace[];
  /**
   * Whether an earlier try may have posted it for another lead call and ended before storing its
   * place.
   */
  readonly isPerhapsPosted: boolean;
}

type Reads = Pick<DeskDeps['store'], 'ledger'>;

/** Reads the calls that share the card of the given call, the lead first. */
export async function readCardCalls(store: Reads, call: Call): Promise<CardCalls> {
  const siblings = await readSiblings(store, call);
  const others = siblings.filter(({ id }) => id !== call.id);
  return cardOf(call, [...others, call]).own;
}

/** Reads the card of a call; `place` is where the call was last shown. */
export async function readCard(
  store: Reads,
  call: Call,
  place: CardPlace | undefined,
): Promise<StoredCard> {
  const siblings = await readSiblings(store, call);
  const { own, cards } = cardOf(call, siblings);
  const places = await readPlaces(store, call, place, siblings);
  // Proposed and asked are two revisions; more mean that the call has changed since.
  const hasMoved = siblings.some(({ revision }) => revision > 2);
  return {
    ...findCardPosition(own, cards, places),
    calls: own,
    places: new Map([...places].filter(([id]) => isOf(own, id))),
    others: [...places].flatMap(([id, other]) => (isOf(own, id) ? [] : [other])),
    isPerhapsPosted: siblings.length > 1 && places.size === 0 && hasMoved,
  };
}

/** A call alone in its message needs no read. */
async function readSiblings({ ledger }: Reads, call: Call): Promise<readonly Call[]> {
  if (call.siblings === 1) return [call];
  // A damaged call must not hold up the others.
  const calls = await ledger.ofThread(call.thread, call.turn, 'leave-out');
  return calls.filter((each) => cardGroupOf(each, call));
}

async function readPlaces(
  { ledger }: Reads,
  call: Call,
  known: CardPlace | undefined,
  siblings: readonly Call[],
): Promise<ReadonlyMap<string, CardPlace>> {
  const found = await Promise.all(
    siblings.map(async ({ id }) => {
      const place = id === call.id ? known : await ledger.cardOf(id);
      return place ? ([[id, place]] as const) : [];
    }),
  );
  return new Map(found.flat());
}

function cardOf(
  call: Call,
  siblings: readonly Call[],
): { readonly own: CardCalls; readonly cards: readonly CardCalls[] } {
  const cards = groupIntoCards(siblings);
  const own = cards.find((card) => isOf(card, call.id)) ?? [call];
  return { own, cards };
}

function isOf(card: CardCalls, id: string): boolean {
  return card.some((call) => call.id === id);
}

/** True if the card would show the same calls at the same revisions. */
export function isSameCard(now: CardCalls, drawn: CardCalls): boolean {
  const shown = new Map(drawn.map(({ id, revision }) => [id, revision]));
  return now.length === drawn.length && now.every((call) => shown.get(call.id) === call.revision);
}
