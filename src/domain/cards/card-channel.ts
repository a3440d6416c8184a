/** Where the card of a call belongs, and whom a new one calls. */
import { type Call, type CardPlace, isTerminal } from '../calls/call.ts';
import { missingApprovers } from '../calls/reminder-schedule.ts';
import { isSamePerson } from '../people/person.ts';
import { isDirect } from '../people/sender-policy.ts';
import type { Group } from '../policy/route.ts';
import { isChannelItself, placeOf } from '../threads/thread-key.ts';

/** Somebody who is called by name: a person, or a group of them. */
export type MentionTarget = `user:${string}` | Group;

/** A channel, and the thread in it; at the top of the channel without one. */
export interface CardLocation {
  readonly channel: string;
  readonly root?: string;
}

/** Tells whether the card stands in another channel than the thread, in which a stub stands for it. */
export function isInOtherChannel({ route, thread }: Pick<Call, 'route' | 'thread'>): boolean {
  return route?.channel !== undefined && route.channel !== placeOf(thread).channel;
}

/** Tells whether the requester would not come upon the card by themselves: it stands in no thread of theirs. */
export function isAwayFromRequester(call: Pick<Call, 'route' | 'thread'>): boolean {
  return isInOtherChannel(call) || isChannelItself(placeOf(call.thread));
}

/** Returns where the card belongs; a route that names the channel of the thread means the thread itself. */
export function cardLocationOf(call: Pick<Call, 'route' | 'thread'>): CardLocation {
  const place = placeOf(call.thread);
  const { channel, root } = place;
  const { channel: named = channel } = call.route ?? {};
  const isInThread = named === channel && !isChannelItself(place);
  return isInThread ? { channel, root } : { channel: named };
}

/** Tells whether a card that stands here has to go on to another channel; one on which nobody decides any more stays. */
export function mustMoveCard(call: Call, { channel }: CardPlace): boolean {
  return channel !== cardLocationOf(call).channel && !isTerminal(call) && call.status === 'pending';
}

/** Lists those whom the new card of a pending call calls; a requester knows of the card in their own thread. */
export function mentionTargetsOf(call: Call): readonly MentionTarget[] {
  const { channel } = cardLocationOf(call);
  // Nobody but the requester sees what stands in their direct messages.
  if (call.status !== 'pending' || isDirect(channel)) return [];
  const { people, groups } = missingApprovers(call);
  const others = people.filter(
    (person) => isAwayFromRequester(call) || !isSamePerson(person, call.requester),
  );
  return [...groups, ...others.map(({ user }) => `user:${user}` as const)];
}
