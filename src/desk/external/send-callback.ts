import { isTerminal } from '../../domain/calls/call.ts';
import { toApproval } from '../../domain/cards/approval-view.ts';
import { keyState } from '../../domain/people/api-key.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { RateLimitedError } from '../delivery/channel-rate-limiter.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';

/** Limits concurrent callbacks, so that slow programs do not hold up people's work. */
const MAX_AT_ONCE = 16;
/**
 * Limits concurrent callbacks per API key, so that one slow program does not hold up the others.
 */
const MAX_OF_KEY = 2;
/** Delay between two tries to get a slot. */
const RETRY_MS = 50;

/**
 * Builds the use case: sends a call's current state to the program that made it. Several changes
 * may be sent as one.
 */
export function createSendCallback({
  store,
  clock,
  callbacks,
}: Pick<DeskDeps, 'store' | 'clock' | 'callbacks'>) {
  const slots = createSlots(clock);

  /**
   * A revoked or expired key gets no more callbacks, since they contain people's edits and replies.
   */
  async function isKeyRevoked(id: string): Promise<boolean> {
    const key = await store.keys.get(id);
    return key !== undefined && keyState(key, clock.now()) !== 'works';
  }

  return async function callBack(callId: string, work: HeldWork): Promise<void> {
    const call = await store.ledger.get(callId);
    const { callbackUrl: url, key } = call?.outside ?? {};
    if (!call || !callbacks || key === undefined || url === undefined) return;
    if (await isKeyRevoked(key)) return;
    const leave = slots.enter(key);
    try {
      await work.assertHeld();
      await callbacks.send({ url, key, body: JSON.stringify(toApproval(call)) }, work.signal);
    } finally {
      leave();
    }
    if (isTerminal(call)) await store.ledger.markDelivered([call.id]);
  };
}

/**
 * The active callbacks of this process, limited per key. Without a free slot, `enter` throws a
 * `RateLimitedError`.
 */
function createSlots(clock: Clock) {
  const active = new Map<string, number>();
  const turns = new Map<string, number>();
  let all = 0;

  function enter(key: string): () => void {
    const own = active.get(key) ?? 0;
    if (own >= MAX_OF_KEY || all >= MAX_AT_ONCE) {
      const turn = Math.max(turns.get(key) ?? 0, clock.now()) + RETRY_MS;
      turns.set(key, turn);
      throw new RateLimitedError(turn);
    }
    active.set(key, own + 1);
    all += 1;
    return () => leave(key);
  }

  function leave(key: string): void {
    all -= 1;
    const left = (active.get(key) ?? 1) - 1;
    if (left > 0) return void active.set(key, left);
    active.delete(key);
    turns.delete(key);
  }

  return { enter };
}
