import type { Call } from '../../../domain/calls/call.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { ReadRevisions } from '../../../domain/ports/store.ts';
import type { DeskDeps } from '../../deps.ts';
import { callEffectsOf } from '../call-effects.ts';
import { type RetryLimit, retryStoreWrite } from './retry-store-write.ts';

/**
 * Builds the write of a step that only this process knows, such as the end of a run. Retries until
 * it knows whether the step is stored, or the limit ends it. False if another writer was first.
 */
export function createRecordRunStep(deps: Pick<DeskDeps, 'store' | 'integrity' | 'clock' | 'log'>) {
  const { ledger } = deps.store;

  /**
   * True if this step produced the stored call. Needed when the answer to an earlier write was
   * lost.
   */
  async function isWritten({ call }: Step): Promise<boolean> {
    const stored = await ledger.get(call.id);
    return (
      stored?.revision === call.revision &&
      stored.status === call.status &&
      stored.updatedAt === call.updatedAt &&
      stored.claim?.fence === call.claim?.fence
    );
  }

  return async function record(
    before: Call,
    step: Step,
    retryLimit: RetryLimit,
    seen?: ReadRevisions,
  ): Promise<boolean> {
    const effects = callEffectsOf(before, [step], undefined);
    const written = await retryStoreWrite(
      async (isAgain) =>
        (await ledger.write(before, [step], effects, seen)) || (isAgain && (await isWritten(step))),
      retryLimit,
      deps,
    );
    if (written) deps.integrity.alarmIfForged([step]);
    return written;
  };
}
