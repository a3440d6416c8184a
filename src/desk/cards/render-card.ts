/** Keeps the card of a call in line with the stored call; retried until it succeeds. */

import { cardLocationOf } from '../../domain/cards/card-channel.ts';
import type { MentionPlan } from '../../domain/cards/digest-message.ts';
import type { CardCalls } from '../../domain/cards/shared-card.ts';
import { renderCardKey } from '../../domain/ports/agenda.ts';
import { dueImmediately, isRecentCall } from '../calls/freshness.ts';
import { createRenewPreview } from '../calls/renew-preview.ts';
import { assertWriteAllowed, type ChannelRateLimiter } from '../delivery/channel-rate-limiter.ts';
import type { ThreadProgress } from '../delivery/thread-progress.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';
import type { Announcements } from './announcements.ts';
import { createDrawCard, type Spot } from './render/draw-card.ts';
import { createRecoverCard } from './render/recover-card.ts';
import { redrawLater } from './render/redraw-later.ts';
import { createUpdateSideMessages } from './render/update-side-messages.ts';
import { isSameCard, readCard, readCardCalls, type StoredCard } from './stored-cards.ts';

type RenderCardDeps = Pick<
  DeskDeps,
  'store' | 'chat' | 'clock' | 'log' | 'toolbox' | 'directory' | 'admins'
>;

interface RenderCardParts {
  readonly rateLimiter: ChannelRateLimiter;
  readonly announce: Announcements;
  readonly progress: Pick<ThreadProgress, 'refresh'>;
}

/** Up to this many cards of a digest message count as urgent. */
const MAX_URGENT = 5;
/** How long a call waits for the others of its message to be asked again. */
const TOGETHER_MS = 1_000;

/** Builds the use case: draws the card of a call, or posts a new one if it was deleted or must move. */
export function createRenderCard(deps: RenderCardDeps, parts: RenderCardParts) {
  const { store, clock } = deps;
  const drawStored = createDrawStored(deps, parts);

  return async function renderCard(callId: string, work: HeldWork): Promise<void> {
    const [stored, place] = await Promise.all([
      store.ledger.get(callId),
      store.ledger.cardOf(callId),
    ]);
    if (!stored?.route) return;
    const card = await readCard(store, stored, place);
    const [lead] = card.calls;
    if (lead.id === callId) return await drawStored(card, work);
    // Only the lead's worker draws the card, and each drawing shows all of its calls.
    const dueAt = dueImmediately(isRecentCall(stored, clock.now()), clock.now());
    await store.agenda.wake([{ key: renderCardKey(lead), dueAt }]);
  };
}

/** Draws a stored card with all that belongs to it. */
function createDrawStored(deps: RenderCardDeps, parts: RenderCardParts) {
  const renewPreview = createRenewPreview(deps);
  const drawCard = createDrawCard(deps, parts.progress);
  const recoverCard = createRecoverCard(deps, drawCard);
  const updateSideMessages = createUpdateSideMessages(deps, parts.announce);

  return async function drawStored(card: StoredCard, work: HeldWork): Promise<void> {
    await redrawKeepers(deps, card);
    const spot = await spotOf(card, parts);
    await takeTurn(deps, card, spot, parts);
    const [lead, ...more] = card.calls;
    const calls: CardCalls = [
      await renewPreview(lead),
      ...(await Promise.all(more.map((call) => renewPreview(call)))),
    ];
    try {
      await drawCard(calls, spot, work);
    } catch (error) {
      await recoverCard(calls, spot, error, work);
    }
    await updateSideMessages(calls, spot, work);
    await redrawIfStale(deps, calls);
  };
}

/** Redraws the old card for the calls that stay on it when one has moved to another card. */
async function redrawKeepers(
  deps: RenderCardDeps,
  { calls, keepers, place }: StoredCard,
): Promise<void> {
  for (const keeper of keepers) await redrawLater(deps, keeper, 0);
  const askedAt = Math.max(...calls.map((call) => call.pendingSince ?? call.createdAt));
  const isEarly = deps.clock.now() < askedAt + TOGETHER_MS;
  // The keepers may be about to move too; then the message moves with all of them.
  assertWriteAllowed(keepers.length > 0 && !place && isEarly ? askedAt + TOGETHER_MS : undefined);
}

async function spotOf(card: StoredCard, { announce }: RenderCardParts): Promise<Spot> {
  const awaited = card.calls.find(({ status }) => status === 'pending') ?? card.calls[0];
  return { ...card, plan: card.place ? undefined : await announce.register(awaited) };
}

/** Throws if the card must wait for its turn in the channel. */
async function takeTurn(
  deps: RenderCardDeps,
  { calls }: StoredCard,
  { place, plan }: Spot,
  { rateLimiter }: RenderCardParts,
): Promise<void> {
  const [lead] = calls;
  const { channel } = place ?? cardLocationOf(lead);
  const isFresh = calls.some((call) => isRecentCall(call, deps.clock.now()));
  const isUrgent = isFresh && !(await isOneOfMany(deps, plan));
  assertWriteAllowed(rateLimiter.take(channel, `card ${lead.id}`, isUrgent));
}

/** True if the call is announced together with many others, so its card is not urgent. */
async function isOneOfMany(
  { store }: RenderCardDeps,
  plan: MentionPlan | undefined,
): Promise<boolean> {
  if (plan?.digestMessage === undefined) return false;
  const digestMessage = await store.digestMessages.read(plan.digestMessage);
  return digestMessage !== undefined && digestMessage.waiting > MAX_URGENT;
}

/** Redraws if the calls have changed since: a slow write may have hidden a newer one. */
async function redrawIfStale(deps: RenderCardDeps, drawn: CardCalls): Promise<void> {
  const [lead] = drawn;
  const call = await deps.store.ledger.get(lead.id);
  const isSame = call !== undefined && isSameCard(await readCardCalls(deps.store, call), drawn);
  if (!isSame) await redrawLater(deps, lead, 0);
}
