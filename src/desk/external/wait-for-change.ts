import type { Call } from '../../domain/calls/call.ts';
import type { DeskDeps } from '../deps.ts';
import type { CallWatch } from './watch-calls.ts';

/** Builds the wait that resolves with the call as soon as it is not as it was seen, or with undefined when the signal aborts first. */
export function createWaitForChange({
  store,
  watch,
}: Pick<DeskDeps, 'store'> & { readonly watch: CallWatch['watch'] }) {
  return async function untilChanged(
    id: string,
    seenRevision: number,
    signal: AbortSignal,
  ): Promise<Call | undefined> {
    let isNews = false;
    let wakeUp = () => {};
    const resolveWaiters = () => {
      isNews = true;
      wakeUp();
    };
    signal.addEventListener('abort', resolveWaiters);
    const release = await watch(id, resolveWaiters);
    try {
      while (!signal.aborted) {
        isNews = false;
        const call = await store.ledger.get(id);
        if (!call || call.revision !== seenRevision) return call;
        if (!isNews)
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
