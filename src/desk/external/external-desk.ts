import { createRequestCall, type RequestDeps } from './request-call.ts';
import { createTakeCall, type TakeDeps } from './take-call.ts';
import { createWaitForChange } from './wait-for-change.ts';
import type { CallWatch } from './watch-calls.ts';

/** What programs can do: request approvals and follow up on them. */
export type ExternalDesk = ReturnType<typeof createExternalDesk>;

/** Creates the use cases for programs. */
export function createExternalDesk(
  deps: RequestDeps & TakeDeps & { readonly watch: CallWatch['watch'] },
) {
  const { store } = deps;

  return {
    request: createRequestCall(deps),
    ...createTakeCall(deps),
    changed: createWaitForChange(deps),
    /** Marks that the program knows the outcome. */
    markTold: (id: string) => store.ledger.markDelivered([id]),
  };
}
