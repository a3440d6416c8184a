import type { CallListEntry } from '../../domain/cards/call-list-entry.ts';
import type { DigestMessage } from '../../domain/cards/digest-message.ts';
import { renderDigestKey } from '../../domain/ports/agenda.ts';
import { BlockedUntilFixedError, ChatError } from '../../domain/ports/chat.ts';
import type { DescribeCalls } from '../decisions/lists/describe-calls.ts';
import { assertWriteAllowed, type ChannelRateLimiter } from '../delivery/channel-rate-limiter.ts';
import type { DeskDeps, HeldWork } from '../deps.ts';

/** More would be longer than a phone's screen. */
const MAX_LINES = 10;

/** Cards that can't be posted are reported one by one, without the digest message. */
const UNREACHABLE: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable']);

/**
 * Builds the use case: updates the digest message of a channel, and removes it once none of its
 * calls are pending.
 */
export function createRenderDigest(
  { store, chat, clock }: Pick<DeskDeps, 'store' | 'chat' | 'clock'>,
  rateLimiter: ChannelRateLimiter,
  describeCalls: DescribeCalls,
) {
  const { digestMessages } = store;

  async function readLines({ id, channel }: DigestMessage): Promise<readonly CallListEntry[]> {
    const ids = await digestMessages.callsOf(id, MAX_LINES);
    const calls = await Promise.all(ids.map((callId) => store.ledger.get(callId)));
    const waiting = calls.flatMap((call) => (call?.status === 'pending' ? [call] : []));
    return await describeCalls(waiting, { kind: 'channel', channel });
  }

  async function draw(digestMessage: DigestMessage, work: HeldWork): Promise<void> {
    const lines = await readLines(digestMessage);
    await work.assertHeld();
    const lookFirst = !digestMessage.place && work.tries > 0;
    const place = await chat.drawDigest(digestMessage, { lookFirst, lines });
    if (place.ts !== digestMessage.place?.ts) await digestMessages.place(digestMessage.id, place);
  }

  /** A deleted digest message is posted again without mentions. */
  async function drawOrRepost(digestMessage: DigestMessage, work: HeldWork): Promise<void> {
    try {
      await draw(digestMessage, work);
    } catch (error) {
      if (!(error instanceof ChatError) || !UNREACHABLE.has(error.code)) throw error;
      if (digestMessage.waiting === 0) return;
      const { place: _gone, ...rest } = digestMessage;
      if (error.code === 'gone') return await draw({ ...rest, calls: [] }, work);
      throw new BlockedUntilFixedError(error.message, { cause: error });
    }
  }

  return async function drawBulletin(id: string, work: HeldWork): Promise<void> {
    const digestMessage = await digestMessages.read(id);
    if (!digestMessage) return;
    const { channel, place, waiting } = digestMessage;
    if (place || waiting > 0) {
      assertWriteAllowed(rateLimiter.take(channel, `bulletin ${id}`, !place));
      await drawOrRepost(digestMessage, work);
    }
    if (waiting > 0 || (await digestMessages.forget(id))) return;
    await store.agenda.wake([{ key: renderDigestKey(id), dueAt: clock.now() }]);
  };
}
