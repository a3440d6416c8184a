import { type Call, type CardPlace, isTerminal } from '../../domain/calls/call.ts';
import { isConsumedByCaller } from '../../domain/calls/call-origin.ts';
import { isInOtherChannel, mustMoveCard } from '../../domain/cards/card-channel.ts';
import type { CardCalls } from '../../domain/cards/shared-card.ts';
import { BlockedUntilFixedError, ChatError } from '../../domain/ports/chat.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import { isRecentCall } from '../calls/freshness.ts';
import { checkApprovers } from '../decisions/check-approvers.ts';
import {
  assertWriteAllowed,
  type ChannelRateLimiter,
  RateLimitedError,
} from '../delivery/channel-rate-limiter.ts';
import type { ThreadProgress } from '../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import { readCardCalls } from './stored-cards.ts';
import { isLongRefused } from './undeliverable.ts';

/** How long a stub waits for the card that is to take its place. */
const SOON_MS = 1_000;

/** Nobody waits for the stub of a call that has ended: it is not missed. */
const LOST: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable']);

type StubDeps = Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'directory' | 'log'>;

type Look = Omit<Parameters<DeskDeps['chat']['drawStub']>[2], 'lookFirst'>;

/** What stands in Slack for a call. */
type Sides = Partial<Readonly<Record<'card' | 'stub' | 'refused', CardPlace | undefined>>>;

/** Builds the use case: draws in the thread of a call where its card stands, and how the call does; a stub that was deleted is posted again while the call goes on. */
export function createRenderStub(
  { store, chat, clock, directory, log }: StubDeps,
  {
    pace,
    progress,
  }: { readonly pace: ChannelRateLimiter; readonly progress: Pick<ThreadProgress, 'sayAgain'> },
) {
  const { ledger } = store;

  /** The card has come to the thread itself. */
  async function close(call: Call, stub: CardPlace, card: CardPlace | undefined): Promise<void> {
    if (!card || mustMoveCard(call, card)) throw new RateLimitedError(clock.now() + SOON_MS);
    try {
      await chat.closeCard(call, stub, card);
    } catch (error) {
      if (!(error instanceof ChatError) || error.code !== 'gone') throw error;
    }
    await ledger.placeSideMessage(call.id, 'stub', undefined);
  }

  /** A stub is drawn without this rather than not at all. */
  async function findStubAvailability(call: Call): Promise<Pick<Look, 'outlook'>> {
    if (call.status !== 'pending') return {};
    try {
      return { outlook: await checkApprovers({ directory }, call) };
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'Nobody told who may approve; the stub is without.');
      return {};
    }
  }

  async function draw(
    call: Call,
    stub: CardPlace | undefined,
    look: Look,
    work: HeldWork,
  ): Promise<void> {
    await work.assertHeld();
    const lookFirst = !stub && work.tries > 0;
    const drawn = await chat.drawStub(call, stub, { lookFirst, ...look });
    if (drawn.ts === stub?.ts) return;
    await ledger.placeSideMessage(call.id, 'stub', drawn);
    await progress.sayAgain(call.thread);
  }

  async function drawAnyhow(call: Call, stub: CardPlace | undefined, look: Look, work: HeldWork) {
    try {
      await draw(call, stub, look, work);
    } catch (error) {
      if (!(error instanceof ChatError) || !LOST.has(error.code)) throw error;
      if (isTerminal(call)) return;
      if (error.code === 'gone') return await draw(call, undefined, look, work);
      throw new BlockedUntilFixedError(error.message, { cause: error });
    }
  }

  /** Draws it with all calls of the card, the lead first; `shown` is that lead, or a call that had a stub of its own before. */
  async function drawNow(
    shown: Call,
    calls: CardCalls,
    sides: Sides,
    work: HeldWork,
  ): Promise<void> {
    const { card, refused, stub } = sides;
    const { channel } = placeOf(shown.thread);
    const isHere = card?.channel === channel;
    // A card that has to go on is still here to be decided on.
    if (!stub && isHere) return;
    const isFresh = calls.some((each) => isRecentCall(each, clock.now()));
    assertWriteAllowed(pace.take(channel, `stub ${shown.id}`, isFresh));
    const isShared = calls.length > 1 && calls[0].id === shown.id;
    const awaited = isShared ? calls.find(({ status }) => status === 'pending') : undefined;
    const look = {
      card: isHere ? undefined : card,
      isRefused: isLongRefused(refused, clock.now()),
      ...(isShared && { shared: calls }),
      ...(await findStubAvailability(awaited ?? shown)),
    };
    await drawAnyhow(shown, stub, look, work);
  }

  return async function drawStub(callId: string, work: HeldWork): Promise<void> {
    const [call, card, sides] = await Promise.all([
      ledger.get(callId),
      ledger.cardOf(callId),
      ledger.sideMessagesOf(callId),
    ]);
    // There is no thread in which somebody waits for what a program asks.
    if (!call?.route || isConsumedByCaller(call)) return;
    const { stub } = sides;
    if (!isInOtherChannel(call)) return stub && (await close(call, stub, card));
    const calls = await readCardCalls({ ledger }, call);
    // One stub stands for all calls of a card.
    if (calls[0].id === call.id || stub) await drawNow(call, calls, { ...sides, card }, work);
  };
}
