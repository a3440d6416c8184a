/** Which calls of one message share a card, and which of the messages in Slack is theirs. */
import type { Call, CardPlace } from '../calls/call.ts';
import { isAnswerOnly, isServerQuestion } from '../calls/call-origin.ts';
import { canonicalJson, type JsonValue } from '../json/json.ts';
import { cardLocationOf } from './card-channel.ts';

/** The calls of one card, by their position; the first one leads. */
export type CardCalls = readonly [Call, ...Call[]];

/** A message in Slack holds no more calls than this in a form that people can read. */
const MAX_CALLS = 20;

/** Tells whether a call may share a card with others of its message: questions and what programs ask may not. */
export function mayShareCard(call: Call): boolean {
  const isOfProgram = call.outside !== undefined && call.outside.by !== 'graph';
  return call.siblings > 1 && !isOfProgram && !isAnswerOnly(call) && !isServerQuestion(call);
}

/** Sorts calls of one thread into cards, in the order of their leads: those that one message makes and the same people decide in the same place share one. Calls that nobody was asked about have none. */
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

/** The part of a message that a call belongs to, whatever its route; the same for all calls that may ever share a card with it. */
export function cardGroupOf(call: Call, other: Call): boolean {
  const isOfMessage = call.thread === other.thread && call.messageId === other.messageId;
  return isOfMessage && partOf(call) === partOf(other);
}

/** It depends on the position alone: no call moves to another card because another one did. */
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
  /** Undefined where it has to be posted. */
  readonly place: CardPlace | undefined;
  /** Messages that showed these calls and no others, and from which the card goes on. */
  readonly left: readonly CardPlace[];
  /** Leads of the cards that keep a message which showed a call of this one. */
  readonly keepers: readonly Call[];
}

/** Finds the message of a card among those that are remembered for calls; `cards` are all cards beside it, with itself. */
export function findCardPosition(
  card: CardCalls,
  cards: readonly CardCalls[],
  places: ReadonlyMap<string, CardPlace>,
): CardPosition {
  const remembered = unique(placesOf(card, places));
  const owned = remembered.filter((place) => ownerOf(place, cards, places) === card);
  const isOpen = card.some(({ status }) => status === 'pending');
  const { channel } = cardLocationOf(card[0]);
  // A card on which nobody decides any more stays where it is.
  const place = owned.find((each) => !isOpen || each.channel === channel);
  const keepers = remembered
    .filter((each) => !owned.includes(each))
    .flatMap((each) => ownerOf(each, cards, places)?.slice(0, 1) ?? []);
  return { place, left: owned.filter((each) => each !== place), keepers: [...new Set(keepers)] };
}

/** A message stays with those who have been asked in the same way for longest: whoever was asked anew goes. */
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

/** Tells whether two places are one message. */
export function isSamePlace(a: CardPlace | undefined, b: CardPlace | undefined): boolean {
  return a !== undefined && a.channel === b?.channel && a.ts === b.ts;
}
