import { findAdminRoute } from '../../../domain/policy/admin-routes.ts';
import { combineGateAnswer } from '../../../domain/policy/combine-routes.ts';
import type { Gate } from '../../../domain/policy/route.ts';
import { type RouteBook, StoreUnavailableError } from '../../../domain/ports/store.ts';

/** Puts the routes that are set in Slack around a gate. They are read for each call, so that every process heeds a change at once; while they can't be read there is no answer. */
export function createAdminRouteGate(deps: {
  readonly gate: Gate;
  readonly routes: Pick<RouteBook, 'read'>;
  /** Whether the policy of this moment lets Slack ask for less than it does. */
  readonly mayLoosen: () => boolean;
}): Gate {
  const { gate, mayLoosen, routes } = deps;
  return async (facts) => {
    const [answer, book] = await Promise.all([gate(facts), read(routes)]);
    const route = findAdminRoute(book, facts.tool);
    return route ? combineGateAnswer(answer, route, { mayLoosen: mayLoosen() }) : answer;
  };
}

/** Without them people could be asked whom an admin has taken off: the work is put off instead. */
async function read(routes: Pick<RouteBook, 'read'>) {
  try {
    return await routes.read();
  } catch (error) {
    throw error instanceof StoreUnavailableError ? error : unreadable(error);
  }
}

function unreadable(cause: unknown): StoreUnavailableError {
  const message = 'The routes that are set in Slack can’t be read.';
  return new StoreUnavailableError(message, 'not-done', { cause });
}
