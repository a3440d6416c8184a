import { type Call, type CardPlace, isTerminal } from '../../../domain/calls/call.ts';
import { isInOtherChannel } from '../../../domain/cards/card-channel.ts';
import type { MentionPlan } from '../../../domain/cards/digest-message.ts';
import { type CardCalls, isSamePlace } from '../../../domain/cards/shared-card.ts';
import type { ThreadProgress } from '../../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import type { StoredCard } from '../stored-cards.ts';
import { createSupersededCards } from '../superseded-card.ts';
import { createShowCalls, notifyApproverGap } from './show-calls.ts';

/** Where to draw, and what is known about the card there. */
export interface Spot extends StoredCard {
  /** Undefined if nobody is mentioned because a card was already there. */
  readonly plan: MentionPlan | undefined;
}

/** Builds the step that writes a card to Slack and stores where it is. */
export function createDrawCard(
  deps: Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'log' | 'directory'>,
  progress: Pick<ThreadProgress, 'refresh'>,
) {
  const { store, chat } = deps;
  const showCalls = createShowCalls(deps);
  const supersededCards = createSupersededCards(deps);

  /** Stores the card's new place, after the place of the superseded card. */
  async function rememberPlace(
    lead: Call,
    { calls, left, place, places }: Spot,
    drawn: CardPlace,
    work: HeldWork,
  ): Promise<void> {
    await supersededCards.mark(lead, left, drawn);
    for (const { id } of calls) {
      if (!isSamePlace(places.get(id), drawn)) await store.ledger.placeCard(id, drawn);
    }
    const isMoved = left.length > 0;
    if (!isSamePlace(place, drawn) && (isMoved || !isInOtherChannel(lead))) {
      await progress.refresh(lead.thread);
    }
    // An earlier try may have ended before the superseded card was updated.
    if (isMoved || work.tries > 0) await supersededCards.close(lead, drawn);
  }

  return async function drawCard(calls: CardCalls, spot: Spot, work: HeldWork): Promise<void> {
    const { place, plan } = spot;
    const lookFirst = !place && (work.tries > 0 || spot.isPerhapsPosted);
    const [lead, ...more] = await showCalls(calls);
    const paused = calls.every(isTerminal) ? undefined : await store.pause.read();
    await work.assertHeld();
    const drawn = await chat.drawCard(lead.call, place, {
      lookFirst,
      availability: lead.availability,
      progress: lead.progress,
      calls: plan?.calls,
      paused,
      ...(more.length > 0 && { shared: [lead, ...more] }),
      ...(lookFirst && { others: spot.others }),
    });
    await rememberPlace(lead.call, spot, drawn, work);
    await notifyApproverGap(deps, [lead, ...more]);
  };
}
