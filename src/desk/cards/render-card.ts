/** What people see of a call, brought up to what is stored: repeated until it holds. */

import { type Call, type CardPlace, isTerminal } from '../../domain/calls/call.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { cardLocationOf, isInOtherChannel } from '../../domain/cards/card-channel.ts';
import type { MentionPlan } from '../../domain/cards/digest-message.ts';
import { type CardCalls, isSamePlace } from '../../domain/cards/shared-card.ts';
import type { ApproverAvailability } from '../../domain/people/approver-availability.ts';
import { deliverOutboxKey, renderCardKey, renderStubKey } from '../../domain/ports/agenda.ts';
import { BlockedUntilFixedError, ChatError, type ShownCall } from '../../domain/ports/chat.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { dueImmediately, isRecentCall } from '../calls/freshness.ts';
import { reminderOverMessage } from '../calls/remind-escalate.ts';
import { createRenewPreview } from '../calls/renew-preview.ts';
import { checkApprovers } from '../decisions/check-approvers.ts';
import { assertWriteAllowed, type ChannelRateLimiter } from '../delivery/channel-rate-limiter.ts';
import type { ThreadProgress } from '../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import type { Announcements } from './announcements.ts';
import { isSameCard, readCard, readCardCalls, type StoredCard } from './stored-cards.ts';
import { createSupersededCards } from './superseded-card.ts';
import { createNotifyUndeliverable, isLongRefused, recordCardRefusal } from './undeliverable.ts';

type RenderCardDeps = Pick<
  DeskDeps,
  'store' | 'chat' | 'clock' | 'log' | 'toolbox' | 'directory' | 'admins'
>;

/** How long a card may stand that could not say for whom it waits, and one that nobody could approve. */
const LOOK_AGAIN_MS = { unclear: 60_000, gap: 300_000 } as const;

/** So many cards of a crowd are posted at once. */
const FEW = 5;

/** What Slack refuses until somebody mends something, unlike what passes by itself. */
const REFUSED: ReadonlySet<ChatError['code']> = new Set(['undeliverable', 'rejected']);

/** Where a drawing goes, and what is known of the card that is there. */
interface Spot extends StoredCard {
  /** Undefined where nobody is to be called, for a card was there. */
  readonly welcome: MentionPlan | undefined;
}

/** How long calls wait for those of their message that are asked anew with them. */
const TOGETHER_MS = 1_000;

/** Builds the use case: draws the call as it is now, with those that share its card, there or on a new one where the card was deleted or belongs elsewhere; that nobody can approve it is told. */
export function createRenderCard(
  deps: RenderCardDeps,
  parts: {
    readonly pace: ChannelRateLimiter;
    readonly announce: Announcements;
    readonly progress: Pick<ThreadProgress, 'sayAgain'>;
  },
) {
  const { store, chat, clock, log } = deps;
  const { pace, announce, progress } = parts;
  const renewPreview = createRenewPreview(deps);
  const leaveBehind = createSupersededCards(deps);
  const notifyUndeliverable = createNotifyUndeliverable(deps);

  async function draw(calls: CardCalls, spot: Spot, work: HeldWork): Promise<void> {
    const { place, welcome } = spot;
    const lookFirst = !place && (work.tries > 0 || spot.isPerhapsPosted);
    const [lead, ...more] = await findAvailability(calls);
    const paused = calls.every(isTerminal) ? undefined : await store.pause.read();
    await work.assertHeld();
    const drawn = await chat.drawCard(lead.call, place, {
      lookFirst,
      outlook: lead.availability,
      progress: lead.progress,
      calls: welcome?.calls,
      paused,
      ...(more.length > 0 && { shared: [lead, ...more] }),
      ...(lookFirst && { others: spot.others }),
    });
    await rememberCardPlace(lead.call, spot, drawn, work);
    await notifyApproverGap([lead, ...more]);
  }

  /** Remembers where the card is, after whatever has to be known of the one that it goes on from. */
  async function rememberCardPlace(
    lead: Call,
    spot: Spot,
    drawn: CardPlace,
    work: HeldWork,
  ): Promise<void> {
    const { calls, left, place, places } = spot;
    await leaveBehind.mark(lead, left, drawn);
    for (const { id } of calls) {
      if (!isSamePlace(places.get(id), drawn)) await store.ledger.placeCard(id, drawn);
    }
    const isMoved = left.length > 0;
    if (!isSamePlace(place, drawn) && (isMoved || !isInOtherChannel(lead))) {
      await progress.sayAgain(lead.thread);
    }
    // An earlier try may have ended before the old one was drawn over.
    if (isMoved || work.tries > 0) await leaveBehind.close(lead, drawn);
  }

  async function findAvailability(
    calls: readonly [Call, ...Call[]],
  ): Promise<readonly [ShownCall, ...ShownCall[]]> {
    const [lead, ...more] = calls;
    const ahead = async (call: Call): Promise<ShownCall> => {
      const progress = call.status === 'running' ? await store.reports.of(call.id) : undefined;
      return { call, availability: await outlookOf(call, lead), progress };
    };
    return [await ahead(lead), ...(await Promise.all(more.map(ahead)))];
  }

  /** A card is drawn without this rather than not at all. */
  async function outlookOf(call: Call, lead: Call): Promise<ApproverAvailability | undefined> {
    if (call.status !== 'pending') return undefined;
    try {
      return await checkApprovers(deps, call);
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'Nobody told who may approve; the card is without.');
      await drawAgain(lead, LOOK_AGAIN_MS.unclear);
      return undefined;
    }
  }

  async function drawAgain(call: Call, inMs: number): Promise<void> {
    await store.agenda.wake([{ key: renderCardKey(call), dueAt: clock.now() + inMs }]);
  }

  /** The requester hears of it once for each attempt, and of one call for all of the card; the card keeps saying it until it is mended. */
  async function notifyApproverGap(shown: readonly [ShownCall, ...ShownCall[]]): Promise<void> {
    const found = shown.find(({ availability: outlook }) => outlook?.gap !== undefined);
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
    await drawAgain(shown[0].call, LOOK_AGAIN_MS.gap);
  }

  /** However long the drawing was on its way, it does not stay over a younger one. */
  async function lookAgain(drawn: CardCalls): Promise<void> {
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
    if (isRefused) await refused(calls, spot, error);
    // Nobody waits for the card of a call that has ended: it may be given up, and is not missed.
    const isAwaited = !calls.every(isTerminal);
    if (error.code !== 'gone') {
      throw isRefused && isAwaited
        ? new BlockedUntilFixedError(error.message, { cause: error })
        : error;
    }
    if (isAwaited) await draw(calls, { ...spot, place: undefined, welcome: undefined }, work);
  }

  /** Until its channel takes the card, people decide where it stood before, if anywhere. */
  async function refused(calls: CardCalls, { place, left }: Spot, error: ChatError): Promise<void> {
    const [old] = left;
    await alarm(calls, (place ?? cardLocationOf(calls[0])).channel, error);
    if (!old) return;
    const [lead, ...more] = await findAvailability(calls);
    const paused = await store.pause.read();
    const shared = more.length > 0 && { shared: [lead, ...more] };
    const look = { lookFirst: false, outlook: lead.availability, paused, ...shared };
    await chat.drawCard(lead.call, old, look).catch((cause: unknown) => {
      log.warn({ err: cause, call: lead.call.id }, 'The card could not be drawn where it was.');
    });
  }

  /** People hear of what lasts. */
  async function alarm(calls: CardCalls, channel: string, error: ChatError): Promise<void> {
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

  /** What a bulletin speaks for with many others has its turn; where few of them wait, somebody waits for it. */
  async function isOneOfMany(welcome: MentionPlan | undefined): Promise<boolean> {
    if (welcome?.bulletin === undefined) return false;
    const bulletin = await store.bulletins.read(welcome.bulletin);
    return bulletin !== undefined && bulletin.waiting > FEW;
  }

  /** A call that has gone to another card leaves the message to those that stay, whose card is drawn without it. */
  async function leaveToOthers({ calls, keepers, place }: StoredCard): Promise<void> {
    for (const keeper of keepers) await drawAgain(keeper, 0);
    const askedAt = Math.max(...calls.map((call) => call.pendingSince ?? call.createdAt));
    const isEarly = clock.now() < askedAt + TOGETHER_MS;
    // Those that stay may be about to follow: then the message goes with all of them.
    assertWriteAllowed(keepers.length > 0 && !place && isEarly ? askedAt + TOGETHER_MS : undefined);
  }

  async function spotOf(card: StoredCard): Promise<Spot> {
    const awaited = card.calls.find(({ status }) => status === 'pending') ?? card.calls[0];
    return { ...card, welcome: card.place ? undefined : await announce.arrive(awaited) };
  }

  async function drawOn(card: StoredCard, work: HeldWork): Promise<void> {
    await leaveToOthers(card);
    const spot = await spotOf(card);
    const [lead, ...more] = card.calls;
    const { channel } = spot.place ?? cardLocationOf(lead);
    const isFresh = card.calls.some((call) => isRecentCall(call, clock.now()));
    const isUrgent = isFresh && !(await isOneOfMany(spot.welcome));
    assertWriteAllowed(pace.take(channel, `card ${lead.id}`, isUrgent));
    const calls: CardCalls = [
      await renewPreview(lead),
      ...(await Promise.all(more.map((call) => renewPreview(call)))),
    ];
    try {
      await draw(calls, spot, work);
    } catch (error) {
      await recover(calls, spot, error, work);
    }
    await follow(calls, spot, work);
    await lookAgain(calls);
  }

  return async function redraw(callId: string, work: HeldWork): Promise<void> {
    const [stored, place] = await Promise.all([
      store.ledger.get(callId),
      store.ledger.cardOf(callId),
    ]);
    if (!stored?.route) return;
    const card = await readCard(store, stored, place);
    const [lead] = card.calls;
    if (lead.id === callId) return await drawOn(card, work);
    // One worker at a time draws a card, and each drawing shows all of its calls.
    const dueAt = dueImmediately(isRecentCall(stored, clock.now()), clock.now());
    await store.agenda.wake([{ key: renderCardKey(lead), dueAt }]);
  };

  async function takeBack(call: Call, refused: CardPlace): Promise<void> {
    if (isLongRefused(refused, clock.now())) await notifyUndeliverable.mended(call);
    await store.ledger.placeSideMessage(call.id, 'refused', undefined);
  }

  /** The thread's stub and the channel's bulletin follow the card. */
  async function follow(calls: CardCalls, { left }: Spot, work: HeldWork): Promise<void> {
    const [lead] = calls;
    const isMoved = left.length > 0;
    const mayHaveSides = isInOtherChannel(lead) || isMoved || work.tries > 0;
    const sides = mayHaveSides ? await store.ledger.sideMessagesOf(lead.id) : {};
    if (sides.refused) await takeBack(lead, sides.refused);
    if (isInOtherChannel(lead) || sides.stub) await wakeStub(lead);
    await leaveBulletins(calls, isMoved);
    await closeReminder(calls);
  }

  /** People are not called to a card on which nothing waits any more. */
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

  /** Any of the calls may be the one that was announced: bulletins speak for it while one of them waits. */
  async function leaveBulletins(calls: CardCalls, isMoved: boolean): Promise<void> {
    const isOpen = calls.some(({ status }) => status === 'pending');
    if (isOpen && !isMoved) return;
    const except = isOpen ? cardLocationOf(calls[0]).channel : undefined;
    for (const call of calls) await announce.leave(call, except);
  }
}
