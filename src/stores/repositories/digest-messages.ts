/** Cards that arrive in a channel, and the digest messages that announce many of them. */
import type { DigestMessages } from '../../domain/cards/digest-message.ts';
import { createKeyedQueues } from '../../domain/runtime/keyed-queues.ts';
import type { Records } from '../records.ts';
import { changeRecords } from './documents/change-records.ts';
import { listRecords, readOne } from './documents/read-records.ts';
import { ARRIVAL, BULLETIN, putArrival, waitingIn } from './documents/stored-digest.ts';
import { registerArrival } from './register-arrival.ts';

/** Creates the digest messages. */
export function createDigestMessages(records: Records): DigestMessages {
  /** One per channel: all its arrivals change its count and would conflict. */
  const inQueue = createKeyedQueues();
  const countWaiting = async (id: string): Promise<number> =>
    (await records.count([waitingIn(id)]))[0] ?? 0;

  return {
    registerArrival: (arrival, threshold) =>
      inQueue(arrival.channel, () =>
        changeRecords(records, (draft) => registerArrival(draft, arrival, threshold)),
      ),
    async removeArrival(callId, except = '') {
      return await changeRecords(records, async (draft) => {
        const all = await draft.list(ARRIVAL, `arrival.call|${callId}`);
        const left = all.filter(({ channel, waits }) => waits && channel !== except);
        for (const each of left) await putArrival(draft, { ...each, waits: false });
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
