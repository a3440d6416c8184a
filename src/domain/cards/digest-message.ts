/**
 * Many cards in a short time are announced by one message in place of a mention each: whoever is
 * called for each of them soon reads none. (People know it as a digest, which in our words is a hash.)
 */
import type { CardPlace } from '../calls/call.ts';
import type { MentionTarget } from './card-channel.ts';

/** The message in a channel that speaks for many cards. */
export interface DigestMessage {
  readonly id: string;
  readonly channel: string;
  /** When the first of its calls arrived. */
  readonly since: number;
  /** How many calls it has spoken for, and how many of them still wait. */
  readonly total: number;
  readonly waiting: number;
  /** Those whom it calls when it is posted. */
  readonly calls: readonly MentionTarget[];
  readonly place?: CardPlace;
}

/** A card that is to be posted in a channel, or another occasion on which its people are called there. */
export interface CardArrival {
  readonly channel: string;
  readonly callId: string;
  /** One of a kind for the call. (Default: its card is posted.) */
  readonly occasion?: string;
  readonly at: number;
  /** Those whom the card would call. */
  readonly calls: readonly MentionTarget[];
}

/** Whom the card may call, and the bulletin that speaks for it, if any. */
export interface MentionPlan {
  readonly calls: readonly MentionTarget[];
  readonly bulletin?: string;
}

/** How many cards a channel takes before a bulletin speaks for them. */
export interface DigestThreshold {
  /** More than these within `windowMs` are a crowd. */
  readonly over: number;
  readonly windowMs: number;
  /** A crowd that lasts longer than this has another bulletin. */
  readonly lifeMs: number;
}

/** The bulletins of all channels. Every method is atomic. */
export interface DigestMessages {
  /**
   * Notes that a card is to be posted, once; a repeat may call the same ones. In a crowd a
   * bulletin speaks for it, with the others of the crowd that still wait: only those are called who
   * were not called by the bulletin.
   */
  registerArrival(arrival: CardArrival, crowding: DigestThreshold): Promise<MentionPlan>;
  /** Notes that a call waits no more, but in the channel `except`; resolves with the bulletins that had spoken for it. */
  removeArrival(callId: string, except?: string): Promise<readonly string[]>;
  read(id: string): Promise<DigestMessage | undefined>;
  /** The ids of the calls that wait in it, oldest first; at most `limit`. */
  callsOf(id: string, limit: number): Promise<readonly string[]>;
  place(id: string, place: CardPlace): Promise<void>;
  /** Forgets it, unless a call waits in it; false then. */
  forget(id: string): Promise<boolean>;
}

/** Returns the id of the bulletin that begins with an arrival; no part of it holds a space. */
export function digestMessageId({
  channel,
  callId,
  occasion = '',
}: Omit<CardArrival, 'at' | 'calls'>): string {
  return `${channel} ${callId} ${encodeURIComponent(occasion)}`;
}
