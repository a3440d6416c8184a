/** What people see, brought up to what is stored: repeated until it holds. */
import { sayKey } from '../domain/agenda.ts';
import { type Call, type CardPlace, isTerminal } from '../domain/call.ts';
import { ChatError } from '../domain/chat.ts';
import type { Say } from '../domain/store.ts';
import type { ThreadKey } from '../domain/thread-key.ts';
import type { DeskDeps, Work } from './deps.ts';

type ShowDeps = Pick<DeskDeps, 'store' | 'chat' | 'clock'>;

/** Builds the use case: draws the call as it is now, on its card or on a new one where the card was deleted. */
export function createRedraw({ store, chat, clock }: ShowDeps) {
  async function draw(call: Call, place: CardPlace | undefined, work: Work): Promise<void> {
    const lookFirst = !place && work.tries > 0;
    const drawn = await chat.drawCard(call, place, { lookFirst });
    if (drawn.ts !== place?.ts) await store.ledger.placeCard(call.id, drawn);
  }

  /** The requester hears of it once, however often the card is tried. */
  async function tellUndeliverable(call: Call, error: ChatError): Promise<void> {
    const say: Say = {
      id: `undeliverable:${call.id}`,
      thread: call.thread,
      kind: 'private',
      to: call.requester,
      text: `I can't show the card for *${call.tool}* in our thread: ${error.message} Nothing was run. I keep trying; the card comes when that is mended.`,
      createdAt: clock.now(),
    };
    const wakes = [{ key: sayKey(call.thread), dueAt: clock.now() }];
    await store.outbox.add([say], wakes);
  }

  async function recover(call: Call, error: unknown, work: Work): Promise<void> {
    if (!(error instanceof ChatError)) throw error;
    if (error.code === 'undeliverable') await tellUndeliverable(call, error);
    if (error.code !== 'gone') throw error;
    // A deleted card is not missed once nobody can decide on it any more.
    if (!isTerminal(call)) await draw(call, undefined, work);
  }

  return async function redraw(callId: string, work: Work): Promise<void> {
    const call = await store.ledger.get(callId);
    if (!call?.route) return;
    try {
      await draw(call, await store.ledger.cardOf(callId), work);
    } catch (error) {
      await recover(call, error, work);
    }
  };
}

/** Builds the use case: says what a thread's outbox holds, in order, each once. */
export function createSay({ store, chat }: ShowDeps) {
  return async function say(thread: ThreadKey, work: Work): Promise<void> {
    for (const each of await store.outbox.unsaid(thread)) {
      await chat.say(each, { lookFirst: work.tries > 0 });
      await store.outbox.markSaid(each.id);
    }
  };
}
