import type { Call } from '../domain/call.ts';
import type { Clock } from '../domain/clock.ts';
import { StoreUnavailableError } from '../domain/store.ts';
import type { Step } from '../domain/transitions.ts';
import type { DeskDeps } from './deps.ts';
import { effectsOf } from './effects.ts';

const TRY_AGAIN_MS = 500;

/**
 * Builds the write of a step of a call's run, which nobody else could repeat: what a tool has done is
 * not forgotten because the store is away for a while, and a claim whose answer was lost is not taken
 * for a dead worker's. It is tried until it is known how it stands, or the work is another's; false
 * when another writer was first.
 */
export function createRecord(deps: Pick<DeskDeps, 'store' | 'integrity' | 'clock' | 'log'>) {
  const { store, clock, integrity, log } = deps;

  /** Whether the stored call is what the step made of it: its worker's claim is in it, and no step is its twin. */
  async function isWritten({ call }: Step): Promise<boolean> {
    const stored = await store.ledger.get(call.id);
    return (
      stored?.revision === call.revision &&
      stored.status === call.status &&
      stored.claim?.fence === call.claim?.fence
    );
  }

  async function writeOnce(before: Call, step: Step): Promise<boolean> {
    const written = await store.ledger.write(before, [step], effectsOf(before, [step], undefined));
    if (written) integrity.sound([step]);
    return written;
  }

  return async function record(before: Call, step: Step, signal: AbortSignal): Promise<boolean> {
    let isDoubtful = false;
    for (;;) {
      try {
        return (await writeOnce(before, step)) || (isDoubtful && (await isWritten(step)));
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        signal.throwIfAborted();
        isDoubtful ||= error.fate === 'unknown';
        log.warn({ err: error, call: before.id }, 'A step of a run is not written yet.');
      }
      await pause(clock, signal);
    }
  };
}

/** Waits a moment; rejects when the work is taken away. */
async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const over = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.schedule(clock.now() + TRY_AGAIN_MS, () => {
      signal.removeEventListener('abort', over);
      resolve();
    });
    signal.addEventListener('abort', over, { once: true });
  });
}
