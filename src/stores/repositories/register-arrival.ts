/** Registers the cards that arrive in a channel: alone, or in a digest message if there are many. */
import {
  type CardArrival,
  type DigestThreshold,
  digestMessageId,
  type MentionPlan,
} from '../../domain/cards/digest-message.ts';
import { sortTime } from '../records.ts';
import type { CommitDraft } from './documents/change-records.ts';
import { parseDocument } from './documents/read-record.ts';
import type { ListPage, RecordKind } from './documents/read-records.ts';
import {
  ARRIVAL,
  BULLETIN,
  putArrival,
  type StoredArrival,
  type StoredDigestMessage,
} from './documents/stored-digest.ts';

/** Changed by every arrival in a channel, so that concurrent arrivals conflict. */
const CHANNEL: RecordKind<{ readonly arrivals: number; readonly bulletins: number }> = {
  name: 'arrivals',
  entriesOf: () => [],
  read: (document, id) => parseDocument(document, { kind: 'bulletin', id }),
};

/** Old arrivals removed per new one. */
const MAX_FORGOTTEN = 5;

/** Arrivals in a channel after a time (ms). */
const arrivedAfter = (draft: CommitDraft, channel: string, at: number, page: ListPage = {}) =>
  draft.list(ARRIVAL, `arrival.channel|${channel}`, { after: sortTime(at + 1), ...page });

async function forgetOld(draft: CommitDraft, channel: string, until: number): Promise<void> {
  const page = { limit: MAX_FORGOTTEN };
  const over = await draft.list(ARRIVAL, `arrival.over|${channel}`, page);
  for (const each of over) if (each.at <= until) await draft.remove(ARRIVAL, digestMessageId(each));
}

async function findOpen(
  draft: CommitDraft,
  channel: string,
  { lastAfter, openedAfter }: { readonly lastAfter: number; readonly openedAfter: number },
): Promise<StoredDigestMessage | undefined> {
  const page = { isBackwards: true, limit: 1 };
  const [last] = await draft.list(BULLETIN, `bulletin.channel|${channel}`, page);
  return last && last.lastAt > lastAfter && last.openedAt > openedAfter ? last : undefined;
}

async function joinDigest(
  draft: CommitDraft,
  arrival: CardArrival,
  found: StoredDigestMessage,
): Promise<MentionPlan> {
  const { at } = arrival;
  const calls = arrival.calls.filter((each) => !found.called.includes(each));
  const before = await draft.list(ARRIVAL, `arrival.call|${arrival.callId}`);
  const isFirst = !before.some(({ bulletin }) => bulletin === found.id);
  await draft.put(BULLETIN, found.id, {
    ...found,
    lastAt: at,
    total: found.total + Number(isFirst),
    called: [...found.called, ...calls],
  });
  await putArrival(draft, { ...arrival, calls, bulletin: found.id, isFirst, waits: true });
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
    await putArrival(draft, { ...each, bulletin: id, isFirst });
  }
  await draft.put(BULLETIN, id, {
    ...{ id, channel, calls, called: calls, order, openedAt: at, lastAt: at },
    since: Math.min(...all.map((each) => each.at)),
    total: new Set(all.map(({ callId }) => callId)).size,
  });
  return { calls: [], digestMessage: id };
}

/** Registers a card that arrived in a channel; returns who is mentioned for it. */
export async function registerArrival(
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
  const few = await arrivedAfter(draft, channel, after, { limit: over });
  if (few.length < over) {
    await note(counts.bulletins);
    await putArrival(draft, { ...arrival, waits: true });
    return { calls };
  }
  const found = await findOpen(draft, channel, { lastAfter: after, openedAfter: at - lifeMs });
  await note(counts.bulletins + Number(!found));
  if (found) return await joinDigest(draft, arrival, found);
  const recent = await arrivedAfter(draft, channel, after);
  return await openDigest(draft, arrival, recent, counts.bulletins + 1);
}
