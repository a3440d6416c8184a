import type { RouteControl } from '../../../src/desk/control/routes.ts';

const REFUSED = { kind: 'not-allowed', sentence: 'There are no routes here.' } as const;

/** Routes that nobody may see or set: for Slack tests about other features. */
export const NO_ROUTES: RouteControl = {
  list: async () => REFUSED,
  set: async () => REFUSED,
  remove: async () => REFUSED,
};
