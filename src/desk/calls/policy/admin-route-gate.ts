import { findAdminRoute } from '../../../domain/policy/admin-routes.ts';
import { combineGateAnswer } from '../../../domain/policy/combine-routes.ts';
import type { Gate } from '../../../domain/policy/route.ts';
import { type RouteBook, StoreUnavailableError } from '../../../domain/ports/store.ts';

/**
 * Wraps a gate with the routes set in Slack. They are read per call, so all replicas see changes.
 * Throws if they are unreadable.
 */
export function createAdminRouteGate(deps: {
  readonly gate: Gate;
  readonly routes: Pick<RouteBook, 'read'>;
  /** Whether the current policy allows routes set in Slack to weaken it. */
  readonly mayLoosen: () => boolean;
}): Gate {
  const { gate, mayLoosen, routes } = deps;
  return async (facts) => {
    const [answer, book] = await Promise.all([gate(facts), read(routes)]);
    const route = findAdminRoute(book, facts.tool);
    return route ? combineGateAnswer(answer, route, { mayLoosen: mayLoosen() }) : answer;
  };
}

/** Without the routes, removed approvers could be asked. So the call is retried later. */
async function read(routes: Pick<RouteBook, 'read'>) {
  try {
    return await routes.read();
  } catch (error) {
    throw error instanceof StoreUnavailableError ? error : unreadable(error);
  }
}

function unreadable(cause: unknown): StoreUnavailableError {
  const message = 'The routes set in Slack can’t be read.';
  return new StoreUnavailableError(message, 'not-done', { cause });
}
