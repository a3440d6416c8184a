import { isTerminal } from '../../../domain/calls/call.ts';
import { cardLocationOf, isInOtherChannel } from '../../../domain/cards/card-channel.ts';
import type { CardCalls } from '../../../domain/cards/shared-card.ts';
import { BlockedUntilFixedError, ChatError } from '../../../domain/ports/chat.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import { createNotifyUndeliverable, isLongRefused, recordCardRefusal } from '../undeliverable.ts';
import type { createDrawCard, Spot } from './draw-card.ts';
import { redrawStub } from './redraw-later.ts';
import { createShowCalls } from './show-calls.ts';

type RecoverDeps = Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'log' | 'directory' | 'admins'>;

/** Errors that last until somebody fixes the cause. */
const REFUSED: ReadonlySet<ChatError['code']> = new Set(['undeliverable', 'rejected']);

/** Builds the step after a failed drawing: posts a deleted card again, or throws. */
export function createRecoverCard(deps: RecoverDeps, drawCard: ReturnType<typeof createDrawCard>) {
  const keepPrevious = createKeepPrevious(deps);
  const reportRefusal = createReportRefusal(deps);

  return async function recoverCard(
    calls: CardCalls,
    spot: Spot,
    error: unknown,
    work: HeldWork,
  ): Promise<void> {
    if (!(error instanceof ChatError)) throw error;
    // The card of an ended call may be given up, because nobody waits for it.
    const isAwaited = !calls.every(isTerminal);
    if (error.code === 'gone') {
      if (isAwaited) await drawCard(calls, { ...spot, place: undefined, plan: undefined }, work);
      return;
    }
    if (!REFUSED.has(error.code)) throw error;
    const { channel } = spot.place ?? cardLocationOf(calls[0]);
    await reportRefusal(calls, channel, error);
    await keepPrevious(calls, spot);
    throw isAwaited ? new BlockedUntilFixedError(error.message, { cause: error }) : error;
  };
}

/** Until the channel accepts the card, people decide on the previous one, if any. */
function createKeepPrevious(deps: RecoverDeps) {
  const { store, chat, log } = deps;
  const showCalls = createShowCalls(deps);
  return async function keepPrevious(calls: CardCalls, { left: [previous] }: Spot): Promise<void> {
    if (!previous) return;
    const [lead, ...more] = await showCalls(calls);
    const paused = await store.pause.read();
    const shared = more.length > 0 && { shared: [lead, ...more] };
    const view = { lookFirst: false, availability: lead.availability, paused, ...shared };
    await chat.drawCard(lead.call, previous, view).catch((cause: unknown) => {
      log.warn({ err: cause, call: lead.call.id }, 'Could not update the previous card.');
    });
  };
}

/** Notifies people only if the error lasts. */
function createReportRefusal(deps: RecoverDeps) {
  const { store, clock } = deps;
  const notifyUndeliverable = createNotifyUndeliverable(deps);
  return async function reportRefusal(
    calls: CardCalls,
    channel: string,
    error: ChatError,
  ): Promise<void> {
    const [lead] = calls;
    const { refused: since } = await store.ledger.sideMessagesOf(lead.id);
    const now = clock.now();
    if (since?.channel !== channel) {
      await store.ledger.placeSideMessage(lead.id, 'refused', recordCardRefusal(channel, now));
    } else if (isLongRefused(since, now)) {
      await notifyUndeliverable.refused(calls.find((call) => !isTerminal(call)) ?? lead, error);
      if (error.code === 'undeliverable' && isInOtherChannel(lead)) await redrawStub(deps, lead);
    }
  };
}
