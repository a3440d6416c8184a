import type { Call } from '../../domain/call.ts';
import { createRequestCall, type RequestDeps } from './request-call.ts';
import { createTakeCall, type TakeDeps } from './take-call.ts';
import type { CallWatch } from './watch-calls.ts';

/** What programs may ask of the desk: to put calls to people, and what becomes of those. */
export type OutsideDesk = ReturnType<typeof createOutsideDesk>;

/** Creates the desk for programs. */
export function createOutsideDesk(
  deps: RequestDeps & TakeDeps & { readonly watch: CallWatch['watch'] },
) {
  const { store } = deps;

  /** Resolves with the call as soon as it is not as it was seen, or with undefined when the signal aborts first. */
  async function changed(
    id: string,
    seenRevision: number,
    signal: AbortSignal,
  ): Promise<Call | undefined> {
    let isNews = false;
    let wakeUp = () => {};
    const tell = () => {
      isNews = true;
      wakeUp();
    };
    signal.addEventListener('abort', tell);
    const release = await deps.watch(id, tell);
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
      signal.removeEventListener('abort', tell);
    }
  }

  return {
    request: createRequestCall(deps),
    ...createTakeCall(deps),
    changed,
    /** Remembers that the program knows the outcome. */
    markTold: (id: string) => store.ledger.markDelivered([id]),
  };
}
