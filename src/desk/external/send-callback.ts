import { isTerminal } from '../../domain/calls/call.ts';
import { toApproval } from '../../domain/cards/approval-view.ts';
import { keyState } from '../../domain/people/api-key.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { RateLimitedError } from '../delivery/channel-rate-limiter.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';

/** More at once would take places from what people wait for, where programs don't answer. */
const MAX_AT_ONCE = 16;
/** A program that does not answer must not hold up the others. */
const MAX_OF_KEY = 2;
/** Between two looks at whether a place is free. */
const TURN_MS = 50;

/** Builds the use case: tells the program that made a call how it stands now; what has happened meanwhile is told with it. */
export function createSendCallback({
  store,
  clock,
  callbacks,
}: Pick<DeskDeps, 'store' | 'clock' | 'callbacks'>) {
  const places = createPlaces(clock);

  /** Whoever is not let in any more hears nothing more either: neither what people edited nor what they wrote. */
  async function isShutOut(id: string): Promise<boolean> {
    const key = await store.keys.get(id);
    return key !== undefined && keyState(key, clock.now()) !== 'works';
  }

  return async function callBack(callId: string, work: HeldWork): Promise<void> {
    const call = await store.ledger.get(callId);
    const { callbackUrl: url, key } = call?.outside ?? {};
    if (!call || !callbacks || key === undefined || url === undefined) return;
    if (await isShutOut(key)) return;
    const leave = places.enter(key);
    try {
      await work.assertHeld();
      await callbacks.send({ url, key, body: JSON.stringify(toApproval(call)) }, work.signal);
    } finally {
      leave();
    }
    if (isTerminal(call)) await store.ledger.markDelivered([call.id]);
  };
}

/** The requests under way in this process, of each key a few; whoever finds no place gets a turn to look again. */
function createPlaces(clock: Clock) {
  const underWay = new Map<string, number>();
  const turns = new Map<string, number>();
  let all = 0;

  function enter(key: string): () => void {
    const own = underWay.get(key) ?? 0;
    if (own >= MAX_OF_KEY || all >= MAX_AT_ONCE) {
      const turn = Math.max(turns.get(key) ?? 0, clock.now()) + TURN_MS;
      turns.set(key, turn);
      throw new RateLimitedError(turn);
    }
    underWay.set(key, own + 1);
    all += 1;
    return () => leave(key);
  }

  function leave(key: string): void {
    all -= 1;
    const left = (underWay.get(key) ?? 1) - 1;
    if (left > 0) return void underWay.set(key, left);
    underWay.delete(key);
    turns.delete(key);
  }

  return { enter };
}
