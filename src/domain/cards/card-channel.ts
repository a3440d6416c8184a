/** Where a call's card belongs, and whom a new card mentions. */
import { type Call, type CardPlace, isTerminal } from '../calls/call.ts';
import { type Group, isSamePerson } from '../people/person.ts';
import { isDirect } from '../people/sender-policy.ts';
import { missingApprovers } from '../rules/reminder-schedule.ts';
import { isChannelItself, placeOf } from '../threads/thread-key.ts';

/** A person or group to mention. */
export type MentionTarget = `user:${string}` | Group;

/** A channel, and optionally a thread in it. */
export interface CardLocation {
  readonly channel: string;
  readonly root?: string;
}

/** Returns whether the card is outside the thread's channel, with a stub in the thread. */
export function isInOtherChannel({ route, thread }: Pick<Call, 'route' | 'thread'>): boolean {
  return route?.channel !== undefined && route.channel !== placeOf(thread).channel;
}

/** Returns whether the card is outside every thread of the requester, who would miss it. */
export function isAwayFromRequester(call: Pick<Call, 'route' | 'thread'>): boolean {
  return isInOtherChannel(call) || isChannelItself(placeOf(call.thread));
}

/**
 * Returns where the card belongs. A route that names the thread's channel means the thread itself.
 */
export function cardLocationOf(call: Pick<Call, 'route' | 'thread'>): CardLocation {
  const place = placeOf(call.thread);
  const { channel, root } = place;
  const { channel: named = channel } = call.route ?? {};
  const isInThread = named === channel && !isChannelItself(place);
  return isInThread ? { channel, root } : { channel: named };
}

/**
 * Returns whether a card has to move to another channel. Cards that nobody can decide any more
 * stay.
 */
export function mustMoveCard(call: Call, { channel }: CardPlace): boolean {
  return channel !== cardLocationOf(call).channel && !isTerminal(call) && call.status === 'pending';
}

/**
 * Lists whom a pending call's new card mentions. In their own thread, requesters are not mentioned.
 */
export function mentionTargetsOf(call: Call): readonly MentionTarget[] {
  const { channel } = cardLocationOf(call);
  // Only the requester can read their direct messages.
  if (call.status !== 'pending' || isDirect(channel)) return [];
  const { people, groups } = missingApprovers(call);
  const others = people.filter(
    (person) => isAwayFromRequester(call) || !isSamePerson(person, call.requester),
  );
  return [...groups, ...others.map(({ user }) => `user:${user}` as const)];
}
