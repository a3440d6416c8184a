/** Cards that arrive in a channel, and the digest messages that announce many of them. */

import type { MentionTarget } from '../../domain/cards/card-channel.ts';
import {
  type CardArrival,
  type DigestMessage,
  type DigestMessages,
  type DigestThreshold,
  digestMessageId,
  type MentionPlan,
} from '../../domain/cards/digest-message.ts';
import { type Records, sortTime } from '../records.ts';
import { type CommitDraft, changeRecords } from './documents/change-records.ts';
import { parseDocument } from './documents/read-record.ts';
import { listRecords, type RecordKind, readOne } from './documents/read-records.ts';

interface StoredArrival extends CardArrival {
  readonly waits: boolean;
  /** The digest message that announces it. */
  readonly bulletin?: string;
  /** Whether it is the first arrival of its call in that digest message. */
  readonly isFirst?: boolean;
}

/** A stored digest message; the number of waiting calls is counted when it is read. */
interface StoredDigestMessage extends Omit<DigestMessage, 'waiting'> {
  readonly openedAt: number;
  readonly lastAt: number;
  /** Everyone mentioned by it and by its cards. */
  readonly called: readonly MentionTarget[];
  /** Position in its channel, from 1. */
  readonly order: number;
}

const ARRIVAL: RecordKind<StoredArrival> = {
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
const waitingIn = (bulletin: string): string => `arrival.waiting|${bulletin}`;

const BULLETIN: RecordKind<StoredDigestMessage> = {
  name: 'bulletin',
  entriesOf: ({ channel, order }) => [
    { partition: `bulletin.channel|${channel}`, sort: String(order).padStart(8, '0') },
  ],
  read: (document, id) => parseDocument<StoredDigestMessage>(document, { kind: 'bulletin', id }),
};

/** Changed by every arrival in a channel, so that concurrent arrivals conflict. */
const CHANNEL: RecordKind<{ readonly arrivals: number; readonly bulletins: number }> = {
  name: 'arrivals',
  entriesOf: () => [],
  read: (document, id) => parseDocument(document, { kind: 'bulletin', id }),
};

/** Old arrivals removed per new one. */
const MAX_FORGOTTEN = 5;

/** Creates the digest messages. */
export function createDigestMessages(records: Records): DigestMessages {
  /** Arrivals in a channel after a time (ms). */
  const arrivedAfter = (channel: string, at: number, page: { readonly limit?: number } = {}) =>
    listRecords(records, ARRIVAL, `arrival.channel|${channel}`, {
      after: sortTime(at + 1),
      ...page,
    });

  async function forgetOld(draft: CommitDraft, channel: string, until: number): Promise<void> {
    const page = { limit: MAX_FORGOTTEN };
    const over = await listRecords(records, ARRIVAL, `arrival.over|${channel}`, page);
    for (const each of over)
      if (each.at <= until) await draft.remove(ARRIVAL, digestMessageId(each));
  }

  async function findOpen(
    channel: string,
    { lastAfter, openedAfter }: { readonly lastAfter: number; readonly openedAfter: number },
  ): Promise<StoredDigestMessage | undefined> {
    const page = { isBackwards: true, limit: 1 };
    const [last] = await listRecords(records, BULLETIN, `bulletin.channel|${channel}`, page);
    return last && last.lastAt > lastAfter && last.openedAt > openedAfter ? last : undefined;
  }

  async function joinDigest(
    draft: CommitDraft,
    arrival: CardArrival,
    found: StoredDigestMessage,
  ): Promise<MentionPlan> {
    const { at } = arrival;
    const calls = arrival.calls.filter((each) => !found.called.includes(each));
    const before = await listRecords(records, ARRIVAL, `arrival.call|${arrival.callId}`);
    const isFirst = !before.some(({ bulletin }) => bulletin === found.id);
    await draft.put(BULLETIN, found.id, {
      ...found,
      lastAt: at,
      total: found.total + Number(isFirst),
      called: [...found.called, ...calls],
    });
    await put(draft, { ...arrival, calls, bulletin: found.id, isFirst, waits: true });
    return { calls, digestMessage: found.id };
  }

  /** Opens a digest message for this arrival and for all recent arrivals that wait without one. */
  async function openDigest(
    draft: CommitDraft,
    arrival: CardArrival,
    recent: readonly StoredArrival[],
    order: number,
  ): Promise<MentionPlan> {
    const { at, calls, channel } = arrival;
    const id = digestMessageId(arrival);
    const taken = recent.filter(({ bulletin, waits }) => waits && bulletin === undefined);
    const all = [...taken, { ...arrival, calls: [], waits: true }];
    for (const [index, each] of all.entries()) {
      const isFirst = all.findIndex(({ callId }) => callId === each.callId) === index;
      await put(draft, { ...each, bulletin: id, isFirst });
    }
    await draft.put(BULLETIN, id, {
      ...{ id, channel, calls, called: calls, order, openedAt: at, lastAt: at },
      since: Math.min(...all.map((each) => each.at)),
      total: new Set(all.map(({ callId }) => callId)).size,
    });
    return { calls: [], digestMessage: id };
  }

  async function register(
    draft: CommitDraft,
    arrival: CardArrival,
    threshold: DigestThreshold,
  ): Promise<MentionPlan> {
    const { lifeMs, over, windowMs } = threshold;
    const { at, calls, channel } = arrival;
    const known = await draft.read(ARRIVAL, digestMessageId(arrival));
    if (known)
      return { calls: known.calls, ...(known.bulletin && { digestMessage: known.bulletin }) };
    const counts = (await draft.read(CHANNEL, channel)) ?? { arrivals: 0, bulletins: 0 };
    const note = (bulletins: number) =>
      draft.put(CHANNEL, channel, { arrivals: counts.arrivals + 1, bulletins });
    const after = at - windowMs;
    await forgetOld(draft, channel, after);
    const few = await arrivedAfter(channel, after, { limit: over });
    if (few.length < over) {
      await note(counts.bulletins);
      await put(draft, { ...arrival, waits: true });
      return { calls };
    }
    const found = await findOpen(channel, { lastAfter: after, openedAfter: at - lifeMs });
    await note(counts.bulletins + Number(!found));
    if (found) return await joinDigest(draft, arrival, found);
    const recent = await arrivedAfter(channel, after);
    return await openDigest(draft, arrival, recent, counts.bulletins + 1);
  }

  /** The latest arrival of this process in each channel. */
  const lasts = new Map<string, Promise<unknown>>();

  /** Runs a channel's arrivals one by one: they all change its count and would conflict. */
  async function afterOthers<T>(channel: string, work: () => Promise<T>): Promise<T> {
    const done = (lasts.get(channel) ?? Promise.resolve()).then(work);
    const last = done.catch(() => undefined);
    lasts.set(channel, last);
    try {
      return await done;
    } finally {
      if (lasts.get(channel) === last) lasts.delete(channel);
    }
  }

  const countWaiting = async (id: string): Promise<number> =>
    (await records.count([waitingIn(id)]))[0] ?? 0;

  return {
    registerArrival: (arrival, threshold) =>
      afterOthers(arrival.channel, () =>
        changeRecords(records, (draft) => register(draft, arrival, threshold)),
      ),
    async removeArrival(callId, except = '') {
      return await changeRecords(records, async (draft) => {
        const all = await listRecords(records, ARRIVAL, `arrival.call|${callId}`);
        const left = all.filter(({ channel, waits }) => waits && channel !== except);
        for (const each of left) await put(draft, { ...each, waits: false });
        return [...new Set(left.flatMap(({ bulletin }) => bulletin ?? []))];
      });
    },
    async read(id) {
      const stored = await readOne(records, BULLETIN, id);
      if (!stored) return undefined;
      const { called: _, lastAt: _last, openedAt: _opened, order: _order, ...bulletin } = stored;
      return { ...bulletin, waiting: await countWaiting(id) };
    },
    async callsOf(id, limit) {
      const waiting = await listRecords(records, ARRIVAL, waitingIn(id), { limit });
      return waiting.map(({ callId }) => callId);
    },
    async place(id, place) {
      await changeRecords(records, async (draft) => {
        const stored = await draft.read(BULLETIN, id);
        if (stored) await draft.put(BULLETIN, id, { ...stored, place });
      });
    },
    async forget(id) {
      return await changeRecords(records, async (draft) => {
        await draft.read(BULLETIN, id);
        if ((await countWaiting(id)) > 0) return false;
        await draft.remove(BULLETIN, id);
        return true;
      });
    },
  };
}

async function put(draft: CommitDraft, arrival: StoredArrival): Promise<void> {
  await draft.put(ARRIVAL, digestMessageId(arrival), arrival);
}
