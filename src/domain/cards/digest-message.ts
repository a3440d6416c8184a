/**
 * One message announces many cards at once, because people stop reading frequent mentions. (In
 * messages to people this is called a digest; in our code a digest is a hash.)
 */
import type { CardPlace } from '../calls/call.ts';
import type { MentionTarget } from './card-channel.ts';

/** A message in a channel that announces several cards. */
export interface DigestMessage {
  readonly id: string;
  readonly channel: string;
  /** When its first call arrived. */
  readonly since: number;
  /** Calls announced so far, and those still waiting. */
  readonly total: number;
  readonly waiting: number;
  /** The people and groups mentioned when it is posted. */
  readonly calls: readonly MentionTarget[];
  readonly place?: CardPlace;
}

/** A card about to be posted in a channel, or another reason to mention people there. */
export interface CardArrival {
  readonly channel: string;
  readonly callId: string;
  /** Kind of occasion, unique per call. (Default: its card is posted.) */
  readonly occasion?: string;
  readonly at: number;
  /** The people and groups that the card would mention. */
  readonly calls: readonly MentionTarget[];
}

/** Whom the card may mention, and the digest message that announces it, if any. */
export interface MentionPlan {
  readonly calls: readonly MentionTarget[];
  readonly digestMessage?: string;
}

/** When a channel gets a digest message instead of single mentions. */
export interface DigestThreshold {
  /** More cards than this within `windowMs` count as a crowd. */
  readonly over: number;
  readonly windowMs: number;
  /** A crowd that lasts longer gets another digest message. */
  readonly lifeMs: number;
}

/** The digest messages of all channels. Every method is atomic. */
export interface DigestMessages {
  /**
   * Registers a card about to be posted. A repeat may mention the same people. In a crowd the
   * digest message announces it, together with the crowd's other waiting calls. Then only people whom the
   * digest message has not mentioned are mentioned.
   */
  registerArrival(arrival: CardArrival, crowding: DigestThreshold): Promise<MentionPlan>;
  /**
   * Records that a call no longer waits, except in channel `except`. Returns the digest messages that
   * announced it.
   */
  removeArrival(callId: string, except?: string): Promise<readonly string[]>;
  read(id: string): Promise<DigestMessage | undefined>;
  /** Returns the ids of its waiting calls, oldest first, at most `limit`. */
  callsOf(id: string, limit: number): Promise<readonly string[]>;
  place(id: string, place: CardPlace): Promise<void>;
  /** Deletes a digest message. Returns false, and keeps it, if a call still waits in it. */
  forget(id: string): Promise<boolean>;
}

/** Returns the id of the digest message that starts with an arrival. Its parts contain no spaces. */
export function digestMessageId({
  channel,
  callId,
  occasion = '',
}: Omit<CardArrival, 'at' | 'calls'>): string {
  return `${channel} ${callId} ${encodeURIComponent(occasion)}`;
}
