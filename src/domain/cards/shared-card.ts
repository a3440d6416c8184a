/** Decides which calls of one message share a card, and which Slack message shows it. */
import type { Call, CardPlace } from '../calls/call.ts';
import { behaviourOf } from '../calls/call-origin.ts';
import { canonicalJson, type JsonValue } from '../json/json.ts';
import { cardLocationOf } from './card-channel.ts';

/** The calls of one card by position. The first one leads. */
export type CardCalls = readonly [Call, ...Call[]];

/** A Slack message can't show more calls readably. */
const MAX_CALLS = 20;

/** Returns whether a call may share a card. Questions and calls of programs may not. */
export function mayShareCard(call: Call): boolean {
  return call.siblings > 1 && behaviourOf(call).mayShareCard;
}

/**
 * Groups a thread's calls into cards, ordered by lead. Calls of one message with the same route and
 * channel share one. Calls without a route have none.
 */
export function groupIntoCards(calls: readonly Call[]): readonly CardCalls[] {
  const cards = new Map<string, [Call, ...Call[]]>();
  for (const call of [...calls].sort(byPosition)) {
    if (!call.route) continue;
    const key = mayShareCard(call) ? sharedKey(call, call.route) : call.id;
    const card = cards.get(key);
    if (card) card.push(call);
    else cards.set(key, [call]);
  }
  return [...cards.values()];
}

/** Returns whether two calls could ever share a card, whatever their routes. */
export function cardGroupOf(call: Call, other: Call): boolean {
  const isOfMessage = call.thread === other.thread && call.messageId === other.messageId;
  return isOfMessage && partOf(call) === partOf(other);
}

/** Depends on the position only, so that no call changes cards because of another. */
function partOf({ position }: Call): number {
  return Math.floor(position / MAX_CALLS);
}

function sharedKey(call: Call, route: NonNullable<Call['route']>): string {
  const { approvers, among = [], name, quorum } = route;
  const { channel } = cardLocationOf(call);
  const key: JsonValue = [call.messageId, partOf(call), channel, name, approvers, among, quorum];
  return canonicalJson(key);
}

function byPosition(a: Call, b: Call): number {
  return a.position - b.position;
}

/** Where a card is. */
export interface CardPosition {
  /** Undefined if the card has yet to be posted. */
  readonly place: CardPlace | undefined;
  /** Messages that showed only these calls and that the card is leaving. */
  readonly left: readonly CardPlace[];
  /** Leads of the cards that keep a message which showed one of these calls. */
  readonly keepers: readonly Call[];
}

/** Finds a card's message among the stored places. `cards` includes the card itself. */
export function findCardPosition(
  card: CardCalls,
  cards: readonly CardCalls[],
  places: ReadonlyMap<string, CardPlace>,
): CardPosition {
  const stored = unique(placesOf(card, places));
  const owned = stored.filter((place) => ownerOf(place, cards, places) === card);
  const isOpen = card.some(({ status }) => status === 'pending');
  const { channel } = cardLocationOf(card[0]);
  // Cards that nobody can decide any more stay where they are.
  const place = owned.find((each) => !isOpen || each.channel === channel);
  const keepers = stored
    .filter((each) => !owned.includes(each))
    .flatMap((each) => ownerOf(each, cards, places)?.slice(0, 1) ?? []);
  return { place, left: owned.filter((each) => each !== place), keepers: [...new Set(keepers)] };
}

/** A message stays with the calls that have been pending longest. Those asked again move on. */
function ownerOf(
  place: CardPlace,
  cards: readonly CardCalls[],
  places: ReadonlyMap<string, CardPlace>,
): CardCalls | undefined {
  const shown = cards
    .map((card) => {
      const there = card.filter(({ id }) => isSamePlace(places.get(id), place));
      return { card, size: there.length, since: Math.min(...there.map(askedSince)) };
    })
    .filter(({ size }) => size > 0);
  const [owner] = shown.sort((a, b) => a.since - b.since || b.size - a.size);
  return owner?.card;
}

function askedSince({ createdAt, pendingSince = createdAt }: Call): number {
  return pendingSince;
}

function placesOf(card: CardCalls, places: ReadonlyMap<string, CardPlace>): readonly CardPlace[] {
  return card.flatMap(({ id }) => places.get(id) ?? []);
}

function unique(places: readonly CardPlace[]): readonly CardPlace[] {
  return places.filter((place, at) => places.findIndex((each) => isSamePlace(each, place)) === at);
}

/** Returns whether two places are the same message. */
export function isSamePlace(a: CardPlace | undefined, b: CardPlace | undefined): boolean {
  return a !== undefined && a.channel === b?.channel && a.ts === b.ts;
}
