import type { Call } from '../../../domain/calls/call.ts';
import type { Step } from '../../../domain/calls/transitions.ts';
import type { ReadRevisions } from '../../../domain/ports/store.ts';
import type { DeskDeps } from '../../deps.ts';
import { callEffectsOf } from '../call-effects.ts';
import { type RetryLimit, retryStoreWrite } from './retry-store-write.ts';

/**
 * Builds the write of a step of a call's run, which nobody else could repeat: what a tool has done is
 * not forgotten because the store is away for a while, and a claim whose answer was lost is not taken
 * for a dead worker's. It is tried until it is known how it stands, or the work is another's; false
 * when another writer was first.
 */
export function createRecordRunStep(deps: Pick<DeskDeps, 'store' | 'integrity' | 'clock' | 'log'>) {
  const { ledger } = deps.store;

  /** Whether the stored call is what the step made of it: one revision has one writer at one time, with one claim. */
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
    patience: RetryLimit,
    seen?: ReadRevisions,
  ): Promise<boolean> {
    const effects = callEffectsOf(before, [step], undefined);
    const written = await retryStoreWrite(
      async (isAgain) =>
        (await ledger.write(before, [step], effects, seen)) || (isAgain && (await isWritten(step))),
      patience,
      deps,
    );
    if (written) deps.integrity.sound([step]);
    return written;
  };
}
