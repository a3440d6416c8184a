import type { CardPlace } from '../../domain/calls/call.ts';
import { type Chat, uncertainLivePlace } from '../../domain/ports/chat.ts';
import type { Inbox, Outbox } from '../../domain/ports/store.ts';
import type { LiveState } from './live-state.ts';
import { endsLiveAnswer } from './turn-outbox.ts';

export interface PlaceDeps {
  readonly chat: Pick<Chat, 'openLiveMessage'>;
  readonly outbox: Outbox;
  readonly inbox: Pick<Inbox, 'current'>;
}

/**
 * Claims the thread's one place for a live message. False if it belongs to someone else, for now
 * or permanently.
 */
export async function claimPlace(deps: PlaceDeps, state: LiveState): Promise<boolean> {
  const at = await deps.outbox.liveMessageOf(state.message.thread);
  if (state.storedPlace === undefined) return await claimFreePlace(deps, state, at);
  // Another worker has taken it over, or an answer has replaced it.
  if (at?.ts !== state.storedPlace.ts) state.isOver = true;
  return !state.isOver;
}

/** Stores the place before anything is posted, so that a crash leaves no unknown message. */
async function claimFreePlace(
  { chat, inbox, outbox }: PlaceDeps,
  state: LiveState,
  at: CardPlace | undefined,
): Promise<boolean> {
  const { thread } = state.message;
  // Answers that are already queued must be posted first.
  const isFree = !(await outbox.pendingMessages(thread)).some(endsLiveAnswer);
  // We have a message of our own, so this place belongs to someone else.
  if (state.live !== undefined && at !== undefined) state.isOver = true;
  // If another worker has ended the turn meanwhile, nobody would remove our message.
  if ((await inbox.current(thread))?.id !== state.message.id) state.isOver = true;
  if (state.isOver || !isFree) return false;
  state.live ??= chat.openLiveMessage(state.message, at);
  state.storedPlace = at ?? uncertainLivePlace(thread);
  if (at === undefined) await outbox.placeLiveMessage(thread, state.storedPlace);
  return true;
}

/** Stores the place of the message if it has changed. */
export async function storePlace(
  { outbox }: Pick<PlaceDeps, 'outbox'>,
  state: LiveState,
): Promise<void> {
  if (state.live === undefined || state.storedPlace === undefined) return;
  const place = state.live.place();
  if (place?.ts === state.storedPlace.ts) return;
  state.storedPlace = place;
  await outbox.placeLiveMessage(state.message.thread, place);
}
