/** How the cards that arrive in a channel and the digest messages are stored. */
import type { MentionTarget } from '../../../domain/cards/card-channel.ts';
import {
  type CardArrival,
  type DigestMessage,
  digestMessageId,
} from '../../../domain/cards/digest-message.ts';
import { sortTime } from '../../records.ts';
import type { CommitDraft } from './change-records.ts';
import { parseDocument } from './read-record.ts';
import type { RecordKind } from './read-records.ts';

export interface StoredArrival extends CardArrival {
  readonly waits: boolean;
  /** The digest message that announces it. */
  readonly bulletin?: string;
  /** Whether it is the first arrival of its call in that digest message. */
  readonly isFirst?: boolean;
}

/** A stored digest message; the number of waiting calls is counted when it is read. */
export interface StoredDigestMessage extends Omit<DigestMessage, 'waiting'> {
  readonly openedAt: number;
  readonly lastAt: number;
  /** Everyone mentioned by it and by its cards. */
  readonly called: readonly MentionTarget[];
  /** Position in its channel, from 1. */
  readonly order: number;
}

export const ARRIVAL: RecordKind<StoredArrival> = {
  name: 'arrival',
  entriesOf({ at, bulletin, callId, channel, isFirst, waits }) {
    const sort = sortTime(at);
    return [
      { partition: `arrival.channel|${channel}`, sort },
      { partition: `arrival.call|${callId}`, sort },
      ...(bulletin !== undefined && isFirst && waits
        ? [{ partition: waitingIn(bulletin), sort }]
        : []),
      ...(waits ? [] : [{ partition: `arrival.over|${channel}`, sort }]),
    ];
  },
  read: (document, id) => parseDocument<StoredArrival>(document, { kind: 'bulletin', id }),
};

/** One entry per call that waits in a digest message. */
export const waitingIn = (bulletin: string): string => `arrival.waiting|${bulletin}`;

export const BULLETIN: RecordKind<StoredDigestMessage> = {
  name: 'bulletin',
  entriesOf: ({ channel, order }) => [
    { partition: `bulletin.channel|${channel}`, sort: String(order).padStart(8, '0') },
  ],
  read: (document, id) => parseDocument<StoredDigestMessage>(document, { kind: 'bulletin', id }),
};

export async function putArrival(draft: CommitDraft, arrival: StoredArrival): Promise<void> {
  await draft.put(ARRIVAL, digestMessageId(arrival), arrival);
}
