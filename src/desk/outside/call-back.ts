import { toApproval } from '../../domain/approval-view.ts';
import { isTerminal } from '../../domain/call.ts';
import type { DeskDeps, Work } from '../deps.ts';
import { NotYetError, type Pace, waitFor } from '../pace.ts';

/** More at once would take places from what people wait for, where programs don't answer. */
const MOST_AT_ONCE = 8;
const LATER_MS = 1_000;

/** Builds the use case: tells the program that made a call how it stands now, one request a second for each key; what came meanwhile is told with it. */
export function createCallBack(
  { store, clock, callbacks }: Pick<DeskDeps, 'store' | 'clock' | 'callbacks'>,
  pace: Pace,
) {
  let underWay = 0;

  return async function callBack(callId: string, work: Work): Promise<void> {
    const call = await store.ledger.get(callId);
    const { callbackUrl: url, key } = call?.outside ?? {};
    if (!call || !callbacks || key === undefined || url === undefined) return;
    if (underWay >= MOST_AT_ONCE) throw new NotYetError(clock.now() + LATER_MS);
    waitFor(pace.take(`key:${key}`, `callback ${callId}`, false));
    underWay += 1;
    try {
      await work.assertHeld();
      await callbacks.send({ url, key, body: JSON.stringify(toApproval(call)) }, work.signal);
    } finally {
      underWay -= 1;
    }
    if (isTerminal(call)) await store.ledger.markDelivered([call.id]);
  };
}
