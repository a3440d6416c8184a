import type { Call } from '../../../domain/calls/call.ts';
import type { Outcome } from '../../../domain/calls/outcome.ts';
import { callPart } from '../../../domain/cards/call-name.ts';
import { sayKey } from '../../../domain/ports/agenda.ts';
import { sentence } from '../../../domain/text/sentence.ts';
import { inWords, type Say } from '../../../domain/threads/outbox-message.ts';
import type { DeskDeps } from '../../deps.ts';

/** Builds the watch over a tool that went on though it was told to end: when it ends after all, those who were asked are told. */
export function createTellLateEnd({
  store,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  async function tell({ id, attempt }: Call, kind: Outcome['kind']): Promise<void> {
    const call = await store.ledger.get(id);
    if (call?.status !== 'unknown' || call.attempt !== attempt) return;
    const how = kind === 'result' ? 'It ended well' : 'It ended with an error';
    const say: Say = {
      id: `late:${id}.${attempt}`,
      thread: call.thread,
      kind: 'notice',
      ...inWords(
        sentence`${callPart(call)}, which went on though it was told to end, is over now. ${how}. Please say on its card what you found.`,
      ),
      createdAt: clock.now(),
    };
    await store.outbox.add([say], [{ key: sayKey(call.thread), dueAt: clock.now() }]);
  }

  return async function tellLateEnd(call: Call, late: Promise<Outcome>): Promise<void> {
    const { kind } = await late;
    await tell(call, kind).catch((error: unknown) => {
      log.warn({ err: error, call: call.id, kind }, 'The late end of a tool could not be told.');
    });
  };
}
