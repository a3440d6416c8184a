import type { Call } from '../../../domain/calls/call.ts';
import type { Outcome } from '../../../domain/calls/outcome.ts';
import { callTitlePart } from '../../../domain/cards/call-name.ts';
import { deliverOutboxKey } from '../../../domain/ports/agenda.ts';
import { sentence } from '../../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../../domain/threads/outbox-message.ts';
import type { DeskDeps } from '../../deps.ts';

/**
 * Builds the watch over a tool that did not stop when told to. When it ends after all, it tells the
 * people who must say what happened.
 */
export function createRecordLateEnd({
  store,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  async function notifyLateEnd({ id, attempt }: Call, kind: Outcome['kind']): Promise<void> {
    const call = await store.ledger.get(id);
    if (call?.status !== 'unknown' || call.attempt !== attempt) return;
    const how = kind === 'result' ? 'It ended well' : 'It ended with an error';
    const outboxMessage: OutboxMessage = {
      id: `late:${id}.${attempt}`,
      thread: call.thread,
      kind: 'notice',
      ...toOutboxWords(
        sentence`${callTitlePart(call)}, which kept running after it was told to stop, has now ended. ${how}. Please say on its card what you found.`,
      ),
      createdAt: clock.now(),
    };
    await store.outbox.add(
      [outboxMessage],
      [{ key: deliverOutboxKey(call.thread), dueAt: clock.now() }],
    );
  }

  return async function recordLateEnd(call: Call, late: Promise<Outcome>): Promise<void> {
    const { kind } = await late;
    await notifyLateEnd(call, kind).catch((error: unknown) => {
      log.warn({ err: error, call: call.id, kind }, 'Could not report the late end of a tool.');
    });
  };
}
