/** What is stored of the card of a call, and of the calls beside it that may share it. */
import type { Call, CardPlace } from '../../domain/calls/call.ts';
import {
  type CardCalls,
  type CardPosition,
  cardGroupOf,
  findCardPosition,
  groupIntoCards,
} from '../../domain/cards/shared-card.ts';
import type { DeskDeps } from '../deps.ts';

/** A card as it is stored now. */
export interface StoredCard extends CardPosition {
  readonly calls: CardCalls;
  /** Where each of its calls was shown last. */
  readonly places: ReadonlyMap<string, CardPlace>;
  /** Where the calls beside it are shown: what is found there is another card. */
  readonly others: readonly CardPlace[];
  /** Whether an earlier try may have posted it for another lead, and ended before that was remembered. */
  readonly isPerhapsPosted: boolean;
}

type Reads = Pick<DeskDeps['store'], 'ledger'>;

/** Reads the calls that share the card of a call as it is given, the lead first. */
export async function readCardCalls(store: Reads, call: Call): Promise<CardCalls> {
  const beside = await readBeside(store, call);
  const others = beside.filter(({ id }) => id !== call.id);
  return cardOf(call, [...others, call]).own;
}

/** Reads the card of a call; `place` is where the call was shown last. */
export async function readCard(
  store: Reads,
  call: Call,
  place: CardPlace | undefined,
): Promise<StoredCard> {
  const beside = await readBeside(store, call);
  const { own, cards } = cardOf(call, beside);
  const places = await readPlaces(store, call, place, beside);
  // Each call is at its second revision when people are asked.
  const hasMoved = beside.some(({ revision }) => revision > 2);
  return {
    ...findCardPosition(own, cards, places),
    calls: own,
    places: new Map([...places].filter(([id]) => isOf(own, id))),
    others: [...places].flatMap(([id, other]) => (isOf(own, id) ? [] : [other])),
    isPerhapsPosted: beside.length > 1 && places.size === 0 && hasMoved,
  };
}

/** A call that is alone in its message costs no read. */
async function readBeside({ ledger }: Reads, call: Call): Promise<readonly Call[]> {
  if (call.siblings === 1) return [call];
  // One that is damaged does not hold up the others.
  const calls = await ledger.ofThread(call.thread, call.turn, 'leave-out');
  return calls.filter((each) => cardGroupOf(each, call));
}

async function readPlaces(
  { ledger }: Reads,
  call: Call,
  known: CardPlace | undefined,
  beside: readonly Call[],
): Promise<ReadonlyMap<string, CardPlace>> {
  const found = await Promise.all(
    beside.map(async ({ id }) => {
      const place = id === call.id ? known : await ledger.cardOf(id);
      return place ? ([[id, place]] as const) : [];
    }),
  );
  return new Map(found.flat());
}

function cardOf(
  call: Call,
  beside: readonly Call[],
): { readonly own: CardCalls; readonly cards: readonly CardCalls[] } {
  const cards = groupIntoCards(beside);
  const own = cards.find((card) => isOf(card, call.id)) ?? [call];
  return { own, cards };
}

function isOf(card: CardCalls, id: string): boolean {
  return card.some((call) => call.id === id);
}

/** Tells whether a card would show the same calls, each as it was drawn. */
export function isSameCard(now: CardCalls, drawn: CardCalls): boolean {
  const shown = new Map(drawn.map(({ id, revision }) => [id, revision]));
  return now.length === drawn.length && now.every((call) => shown.get(call.id) === call.revision);
}
