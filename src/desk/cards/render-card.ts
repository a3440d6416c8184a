/** Keeps the card of a call in line with the stored call; retried until it succeeds. */

import { type Call, type CardPlace, isTerminal } from '../../domain/calls/call.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { cardLocationOf, isInOtherChannel } from '../../domain/cards/card-channel.ts';
import type { MentionPlan } from '../../domain/cards/digest-message.ts';
import { type CardCalls, isSamePlace } from '../../domain/cards/shared-card.ts';
import { deliverOutboxKey, renderCardKey, renderStubKey } from '../../domain/ports/agenda.ts';
import { BlockedUntilFixedError, ChatError, type ShownCall } from '../../domain/ports/chat.ts';
import type { ApproverAvailability } from '../../domain/rules/approver-availability.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { dueImmediately, isRecentCall } from '../calls/freshness.ts';
import { createRenewPreview } from '../calls/renew-preview.ts';
import { assertWriteAllowed, type ChannelRateLimiter } from '../delivery/channel-rate-limiter.ts';
import type { ThreadProgress } from '../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import { checkApprovers } from '../people/check-approvers.ts';
import type { Announcements } from './announcements.ts';
import { reminderOverMessage } from './remind-escalate.ts';
import { isSameCard, readCard, readCardCalls, type StoredCard } from './stored-cards.ts';
import { createSupersededCards } from './superseded-card.ts';
import { createNotifyUndeliverable, isLongRefused, recordCardRefusal } from './undeliverable.ts';

type RenderCardDeps = Pick<
  DeskDeps,
  'store' | 'chat' | 'clock' | 'log' | 'toolbox' | 'directory' | 'admins'
>;

/** When to redraw a card whose approvers are unknown, or that nobody can approve. */
const REDRAW_MS = { unclear: 60_000, gap: 300_000 } as const;

/** Up to this many cards of a digest message count as urgent. */
const MAX_URGENT = 5;

/** Errors that last until somebody fixes the cause. */
const REFUSED: ReadonlySet<ChatError['code']> = new Set(['undeliverable', 'rejected']);

/** Where to draw, and what is known about the card there. */
interface Spot extends StoredCard {
  /** Undefined if nobody is mentioned because a card was already there. */
  readonly plan: MentionPlan | undefined;
}

/** How long a call waits for the others of its message to be asked again. */
const TOGETHER_MS = 1_000;

/** Builds the use case: draws the card of a call, or posts a new one if it was deleted or must move. */
export function createRenderCard(
  deps: RenderCardDeps,
  parts: {
    readonly rateLimiter: ChannelRateLimiter;
    readonly announce: Announcements;
    readonly progress: Pick<ThreadProgress, 'refresh'>;
  },
) {
  const { store, chat, clock, log } = deps;
  const { rateLimiter, announce, progress } = parts;
  const renewPreview = createRenewPreview(deps);
  const supersededCards = createSupersededCards(deps);
  const notifyUndeliverable = createNotifyUndeliverable(deps);

  async function draw(calls: CardCalls, spot: Spot, work: HeldWork): Promise<void> {
    const { place, plan } = spot;
    const lookFirst = !place && (work.tries > 0 || spot.isPerhapsPosted);
    const [lead, ...more] = await findAvailability(calls);
    const paused = calls.every(isTerminal) ? undefined : await store.pause.read();
    await work.assertHeld();
    const drawn = await chat.drawCard(lead.call, place, {
      lookFirst,
      outlook: lead.availability,
      progress: lead.progress,
      calls: plan?.calls,
      paused,
      ...(more.length > 0 && { shared: [lead, ...more] }),
      ...(lookFirst && { others: spot.others }),
    });
    await rememberCardPlace(lead.call, spot, drawn, work);
    await notifyApproverGap([lead, ...more]);
  }

  /** Stores the card's new place, after the place of the superseded card. */
  async function rememberCardPlace(
    lead: Call,
    spot: Spot,
    drawn: CardPlace,
    work: HeldWork,
  ): Promise<void> {
    const { calls, left, place, places } = spot;
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

  async function findAvailability(
    calls: readonly [Call, ...Call[]],
  ): Promise<readonly [ShownCall, ...ShownCall[]]> {
    const [lead, ...more] = calls;
    const toShown = async (call: Call): Promise<ShownCall> => {
      const progress = call.status === 'running' ? await store.reports.of(call.id) : undefined;
      return { call, availability: await availabilityOf(call, lead), progress };
    };
    return [await toShown(lead), ...(await Promise.all(more.map(toShown)))];
  }

  /** A failed lookup must not keep the card from being drawn. */
  async function availabilityOf(call: Call, lead: Call): Promise<ApproverAvailability | undefined> {
    if (call.status !== 'pending') return undefined;
    try {
      return await checkApprovers(deps, call);
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'Could not look up who may approve.');
      await drawAgain(lead, REDRAW_MS.unclear);
      return undefined;
    }
  }

  async function drawAgain(call: Call, inMs: number): Promise<void> {
    await store.agenda.wake([{ key: renderCardKey(call), dueAt: clock.now() + inMs }]);
  }

  /** Tells the requester once per attempt; the card shows the gap until it is fixed. */
  async function notifyApproverGap(shown: readonly [ShownCall, ...ShownCall[]]): Promise<void> {
    const found = shown.find(({ availability }) => availability?.gap !== undefined);
    const gap = found?.availability?.gap;
    if (!found || gap === undefined) return;
    const { call } = found;
    const now = clock.now();
    const outboxMessage: OutboxMessage = {
      id: `gap:${call.id}.${call.attempt}`,
      thread: call.thread,
      kind: 'private',
      to: call.requester,
      ...toOutboxWords(sentence`${callTitlePart(call)}: ${gap}`),
      createdAt: now,
    };
    await store.outbox.add([outboxMessage], [{ key: deliverOutboxKey(call.thread), dueAt: now }]);
    await drawAgain(shown[0].call, REDRAW_MS.gap);
  }

  /** Redraws if the calls have changed since: a slow write may have hidden a newer one. */
  async function redrawIfStale(drawn: CardCalls): Promise<void> {
    const [lead] = drawn;
    const call = await store.ledger.get(lead.id);
    const isSame = call !== undefined && isSameCard(await readCardCalls(store, call), drawn);
    if (!isSame) await drawAgain(lead, 0);
  }

  async function recover(
    calls: CardCalls,
    spot: Spot,
    error: unknown,
    work: HeldWork,
  ): Promise<void> {
    if (!(error instanceof ChatError)) throw error;
    const isRefused = REFUSED.has(error.code);
    if (isRefused) await keepOld(calls, spot, error);
    // The card of an ended call may be given up, because nobody waits for it.
    const isAwaited = !calls.every(isTerminal);
    if (error.code !== 'gone') {
      throw isRefused && isAwaited
        ? new BlockedUntilFixedError(error.message, { cause: error })
        : error;
    }
    if (isAwaited) await draw(calls, { ...spot, place: undefined, plan: undefined }, work);
  }

  /** Until the channel accepts the card, people decide on the previous one, if any. */
  async function keepOld(calls: CardCalls, { place, left }: Spot, error: ChatError): Promise<void> {
    const [old] = left;
    await reportRefusal(calls, (place ?? cardLocationOf(calls[0])).channel, error);
    if (!old) return;
    const [lead, ...more] = await findAvailability(calls);
    const paused = await store.pause.read();
    const shared = more.length > 0 && { shared: [lead, ...more] };
    const look = { lookFirst: false, outlook: lead.availability, paused, ...shared };
    await chat.drawCard(lead.call, old, look).catch((cause: unknown) => {
      log.warn({ err: cause, call: lead.call.id }, 'Could not update the previous card.');
    });
  }

  /** Notifies people only if the error lasts. */
  async function reportRefusal(calls: CardCalls, channel: string, error: ChatError): Promise<void> {
    const [lead] = calls;
    const { refused: since } = await store.ledger.sideMessagesOf(lead.id);
    const now = clock.now();
    if (since?.channel !== channel) {
      await store.ledger.placeSideMessage(lead.id, 'refused', recordCardRefusal(channel, now));
    } else if (isLongRefused(since, now)) {
      await notifyUndeliverable.refused(calls.find((call) => !isTerminal(call)) ?? lead, error);
      if (error.code === 'undeliverable' && isInOtherChannel(lead)) await wakeStub(lead);
    }
  }

  async function wakeStub(call: Call): Promise<void> {
    await store.agenda.wake([{ key: renderStubKey(call), dueAt: clock.now() }]);
  }

  /** True if the call is announced together with many others, so its card is not urgent. */
  async function isOneOfMany(plan: MentionPlan | undefined): Promise<boolean> {
    if (plan?.bulletin === undefined) return false;
    const bulletin = await store.bulletins.read(plan.bulletin);
    return bulletin !== undefined && bulletin.waiting > MAX_URGENT;
  }

  /** Redraws the old card for the calls that stay on it when one has moved to another card. */
  async function redrawKeepers({ calls, keepers, place }: StoredCard): Promise<void> {
    for (const keeper of keepers) await drawAgain(keeper, 0);
    const askedAt = Math.max(...calls.map((call) => call.pendingSince ?? call.createdAt));
    const isEarly = clock.now() < askedAt + TOGETHER_MS;
    // The keepers may be about to move too; then the message moves with all of them.
    assertWriteAllowed(keepers.length > 0 && !place && isEarly ? askedAt + TOGETHER_MS : undefined);
  }

  async function spotOf(card: StoredCard): Promise<Spot> {
    const awaited = card.calls.find(({ status }) => status === 'pending') ?? card.calls[0];
    return { ...card, plan: card.place ? undefined : await announce.register(awaited) };
  }

  async function drawCard(card: StoredCard, work: HeldWork): Promise<void> {
    await redrawKeepers(card);
    const spot = await spotOf(card);
    const [lead, ...more] = card.calls;
    const { channel } = spot.place ?? cardLocationOf(lead);
    const isFresh = card.calls.some((call) => isRecentCall(call, clock.now()));
    const isUrgent = isFresh && !(await isOneOfMany(spot.plan));
    assertWriteAllowed(rateLimiter.take(channel, `card ${lead.id}`, isUrgent));
    const calls: CardCalls = [
      await renewPreview(lead),
      ...(await Promise.all(more.map((call) => renewPreview(call)))),
    ];
    try {
      await draw(calls, spot, work);
    } catch (error) {
      await recover(calls, spot, error, work);
    }
    await updateSides(calls, spot, work);
    await redrawIfStale(calls);
  }

  return async function redraw(callId: string, work: HeldWork): Promise<void> {
    const [stored, place] = await Promise.all([
      store.ledger.get(callId),
      store.ledger.cardOf(callId),
    ]);
    if (!stored?.route) return;
    const card = await readCard(store, stored, place);
    const [lead] = card.calls;
    if (lead.id === callId) return await drawCard(card, work);
    // Only the lead's worker draws the card, and each drawing shows all of its calls.
    const dueAt = dueImmediately(isRecentCall(stored, clock.now()), clock.now());
    await store.agenda.wake([{ key: renderCardKey(lead), dueAt }]);
  };

  async function clearRefusal(call: Call, refused: CardPlace): Promise<void> {
    if (isLongRefused(refused, clock.now())) await notifyUndeliverable.mended(call);
    await store.ledger.placeSideMessage(call.id, 'refused', undefined);
  }

  /** Updates the thread's stub and the channel's digest message after the card. */
  async function updateSides(calls: CardCalls, { left }: Spot, work: HeldWork): Promise<void> {
    const [lead] = calls;
    const isMoved = left.length > 0;
    const mayHaveSides = isInOtherChannel(lead) || isMoved || work.tries > 0;
    const sides = mayHaveSides ? await store.ledger.sideMessagesOf(lead.id) : {};
    if (sides.refused) await clearRefusal(lead, sides.refused);
    if (isInOtherChannel(lead) || sides.stub) await wakeStub(lead);
    await leaveDigests(calls, isMoved);
    await closeReminder(calls);
  }

  /** A reminder must not lead people to a card with nothing to decide. */
  async function closeReminder(calls: CardCalls): Promise<void> {
    const reminded = calls.find(({ remindedAt }) => remindedAt !== undefined);
    if (reminded?.remindedAt === undefined) return;
    if (calls.some(({ status }) => status === 'pending')) return;
    const card = await store.ledger.cardOf(reminded.id);
    const outboxMessage = reminderOverMessage(reminded, reminded.remindedAt, card);
    await store.outbox.add(
      [outboxMessage],
      [{ key: deliverOutboxKey(outboxMessage.thread), dueAt: clock.now() }],
    );
  }

  /** Any of the calls may be the announced one, so all are removed once none is pending. */
  async function leaveDigests(calls: CardCalls, isMoved: boolean): Promise<void> {
    const isOpen = calls.some(({ status }) => status === 'pending');
    if (isOpen && !isMoved) return;
    const except = isOpen ? cardLocationOf(calls[0]).channel : undefined;
    for (const call of calls) await announce.unregister(call, except);
  }
}
