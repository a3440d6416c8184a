import type { Call } from '../../domain/calls/call.ts';
import type { DeskDeps } from '../deps.ts';
import type { CallWatch } from './watch-calls.ts';

/**
 * Builds the wait for a change: resolves with the call once its revision differs from
 * `seenRevision`, or with undefined if the signal aborts first.
 */
export function createWaitForChange({
  store,
  watch,
}: Pick<DeskDeps, 'store'> & { readonly watch: CallWatch['watch'] }) {
  return async function waitForChange(
    id: string,
    seenRevision: number,
    signal: AbortSignal,
  ): Promise<Call | undefined> {
    let hasChanged = false;
    let wakeUp = () => {};
    const resolveWaiters = () => {
      hasChanged = true;
      wakeUp();
    };
    signal.addEventListener('abort', resolveWaiters);
    const release = await watch(id, resolveWaiters);
    try {
      while (!signal.aborted) {
        hasChanged = false;
        const call = await store.ledger.get(id);
        if (!call || call.revision !== seenRevision) return call;
        if (!hasChanged)
          await new Promise<void>((resolve) => {
            wakeUp = resolve;
          });
      }
      return undefined;
    } finally {
      release();
      signal.removeEventListener('abort', resolveWaiters);
    }
  };
}
