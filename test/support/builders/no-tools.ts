import type { ServerToolControl } from '../../../src/desk/control/server-tools.ts';

const REFUSED = { kind: 'not-allowed', sentence: 'There are no servers here.' } as const;

/** Server tools that nobody may see: for Slack tests about other features. */
export const NO_TOOLS: ServerToolControl = {
  list: async () => REFUSED,
  accept: async () => REFUSED,
};
