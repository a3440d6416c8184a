import type { ServerToolControl } from '../../../src/desk/control/server-tools.ts';

const REFUSED = { kind: 'not-allowed', sentence: 'There are no servers here.' } as const;

/** Tools of servers that nobody may look at: for Slack sides whose tests are about other things. */
export const NO_TOOLS: ServerToolControl = {
  list: async () => REFUSED,
  accept: async () => REFUSED,
};
