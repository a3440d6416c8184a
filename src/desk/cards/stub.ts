import { type Call, type CardPlace, isTerminal } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { isInOtherChannel, mustMoveCard } from '../../domain/cards/card-channel.ts';
import type { CardCalls } from '../../domain/cards/shared-card.ts';
import { BlockedUntilFixedError, ChatError } from '../../domain/ports/chat.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import { isRecentCall } from '../calls/freshness.ts';
import {
  assertWriteAllowed,
  type ChannelRateLimiter,
  RateLimitedError,
} from '../delivery/channel-rate-limiter.ts';
import type { ThreadProgress } from '../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import { checkApprovers } from '../people/check-approvers.ts';
import { readCardCalls } from './stored-cards.ts';
import { isLongRefused } from './undeliverable.ts';

/** How long a stub waits for the card that will replace it. */
const RETRY_MS = 1_000;

/** The stub of an ended call is not posted again, because nobody waits for it. */
const UNREACHABLE: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable']);

type StubDeps = Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'directory' | 'log'>;

interface DrawDeps {
  readonly progress: Pick<ThreadProgress, 'refresh'>;
}

type StubView = Omit<Parameters<DeskDeps['chat']['drawStub']>[2], 'lookFirst'>;

/** The Slack messages of a call. */
type SideMessages = Partial<Readonly<Record<'card' | 'stub' | 'refused', CardPlace | undefined>>>;

/**
 * Builds the use case: draws, in the thread of a call, a link to its card and its status. Posts a
 * deleted stub again while the call is open.
 */
export function createRenderStub(
  deps: StubDeps,
  { rateLimiter, progress }: DrawDeps & { readonly rateLimiter: ChannelRateLimiter },
) {
  const { clock } = deps;
  const { ledger } = deps.store;

  /**
   * Draws the stub for all calls of the card. `shown` is the lead, or a call that had its own stub
   * before.
   */
  async function drawNow(
    shown: Call,
    calls: CardCalls,
    sides: SideMessages,
    work: HeldWork,
  ): Promise<void> {
    const { card, refused, stub } = sides;
    const { channel } = placeOf(shown.thread);
    const isHere = card?.channel === channel;
    // The card is in this thread until it has moved, so no stub is needed.
    if (!stub && isHere) return;
    const isFresh = calls.some((each) => isRecentCall(each, clock.now()));
    assertWriteAllowed(rateLimiter.take(channel, `stub ${shown.id}`, isFresh));
    const isShared = calls.length > 1 && calls[0].id === shown.id;
    const awaited = isShared ? calls.find(({ status }) => status === 'pending') : undefined;
    const view = {
      card: isHere ? undefined : card,
      isRefused: isLongRefused(refused, clock.now()),
      ...(isShared && { shared: calls }),
      ...(await findAvailability(deps, awaited ?? shown)),
    };
    await drawOrRepost({ ...deps, progress }, shown, stub, view, work);
  }

  return async function drawStub(callId: string, work: HeldWork): Promise<void> {
    const [call, card, sides] = await Promise.all([
      ledger.get(callId),
      ledger.cardOf(callId),
      ledger.sideMessagesOf(callId),
    ]);
    // A call of a program has no thread with a person waiting in it.
    if (!call?.route || behaviourOf(call).reportsTo === 'caller') return;
    const { stub } = sides;
    if (!isInOtherChannel(call)) return stub && (await close(deps, call, stub, card));
    const calls = await readCardCalls({ ledger }, call);
    // One stub represents all calls of a card.
    if (calls[0].id === call.id || stub) await drawNow(call, calls, { ...sides, card }, work);
  };
}

/** Closes the stub once the card has moved to the thread itself. */
async function close(
  { store, chat, clock }: StubDeps,
  call: Call,
  stub: CardPlace,
  card: CardPlace | undefined,
): Promise<void> {
  if (!card || mustMoveCard(call, card)) throw new RateLimitedError(clock.now() + RETRY_MS);
  try {
    await chat.closeCard(call, stub, card);
  } catch (error) {
    if (!(error instanceof ChatError) || error.code !== 'gone') throw error;
  }
  await store.ledger.placeSideMessage(call.id, 'stub', undefined);
}

/** A failed lookup must not keep the stub from being drawn. */
async function findAvailability(
  { directory, log }: StubDeps,
  call: Call,
): Promise<Pick<StubView, 'availability'>> {
  if (call.status !== 'pending') return {};
  try {
    return { availability: await checkApprovers({ directory }, call) };
  } catch (error) {
    log.warn({ err: error, call: call.id }, 'Could not look up who may approve.');
    return {};
  }
}

async function drawOrRepost(
  deps: StubDeps & DrawDeps,
  call: Call,
  stub: CardPlace | undefined,
  view: StubView,
  work: HeldWork,
) {
  try {
    await draw(deps, call, stub, view, work);
  } catch (error) {
    if (!(error instanceof ChatError) || !UNREACHABLE.has(error.code)) throw error;
    if (isTerminal(call)) return;
    if (error.code === 'gone') return await draw(deps, call, undefined, view, work);
    throw new BlockedUntilFixedError(error.message, { cause: error });
  }
}

async function draw(
  { store, chat, progress }: StubDeps & DrawDeps,
  call: Call,
  stub: CardPlace | undefined,
  view: StubView,
  work: HeldWork,
): Promise<void> {
  await work.assertHeld();
  const lookFirst = !stub && work.tries > 0;
  const drawn = await chat.drawStub(call, stub, { lookFirst, ...view });
  if (drawn.ts === stub?.ts) return;
  await store.ledger.placeSideMessage(call.id, 'stub', drawn);
  await progress.refresh(call.thread);
}
