import type { Call, CardPlace } from '../../../domain/calls/call.ts';
import { cardLocationOf, isInOtherChannel } from '../../../domain/cards/card-channel.ts';
import type { CardCalls } from '../../../domain/cards/shared-card.ts';
import { deliverOutboxKey } from '../../../domain/ports/agenda.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import type { Announcements } from '../announcements.ts';
import { reminderOverMessage } from '../remind-escalate.ts';
import { createNotifyUndeliverable, isLongRefused } from '../undeliverable.ts';
import type { Spot } from './draw-card.ts';
import { redrawStub } from './redraw-later.ts';

/**
 * Builds the step after a card is drawn: updates the thread's stub, the channel's digest message
 * and the reminder.
 */
export function createUpdateSideMessages(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'admins'>,
  announce: Announcements,
) {
  const { store, clock } = deps;
  const notifyUndeliverable = createNotifyUndeliverable(deps);

  async function clearRefusal(call: Call, refused: CardPlace): Promise<void> {
    if (isLongRefused(refused, clock.now())) await notifyUndeliverable.mended(call);
    await store.ledger.placeSideMessage(call.id, 'refused', undefined);
  }

  /** A reminder must not lead people to a card with nothing to decide. */
  async function closeReminder(calls: CardCalls): Promise<void> {
    const reminded = calls.find(({ remindedAt }) => remindedAt !== undefined);
    if (reminded?.remindedAt === undefined) return;
    if (calls.some(({ status }) => status === 'pending')) return;
    const card = await store.ledger.cardOf(reminded.id);
    const message = reminderOverMessage(reminded, reminded.remindedAt, card);
    const wake = { key: deliverOutboxKey(message.thread), dueAt: clock.now() };
    await store.outbox.add([message], [wake]);
  }

  /** Any of the calls may be the announced one, so all are removed once none is pending. */
  async function leaveDigests(calls: CardCalls, isMoved: boolean): Promise<void> {
    const isOpen = calls.some(({ status }) => status === 'pending');
    if (isOpen && !isMoved) return;
    const except = isOpen ? cardLocationOf(calls[0]).channel : undefined;
    for (const call of calls) await announce.unregister(call, except);
  }

  return async function updateSideMessages(
    calls: CardCalls,
    { left }: Spot,
    work: HeldWork,
  ): Promise<void> {
    const [lead] = calls;
    const isMoved = left.length > 0;
    const mayHaveSides = isInOtherChannel(lead) || isMoved || work.tries > 0;
    const sides = mayHaveSides ? await store.ledger.sideMessagesOf(lead.id) : {};
    if (sides.refused) await clearRefusal(lead, sides.refused);
    if (isInOtherChannel(lead) || sides.stub) await redrawStub(deps, lead);
    await leaveDigests(calls, isMoved);
    await closeReminder(calls);
  };
}
