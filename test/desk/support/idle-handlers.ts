import type { AgendaHandlers } from '../../../src/desk/worker/running-tasks.ts';

const nothing = async (): Promise<void> => {};

/** Handlers that ignore every task. */
export const IDLE_HANDLERS: AgendaHandlers = {
  pump: nothing,
  run: nothing,
  expire: nothing,
  redraw: nothing,
  say: nothing,
  heed: nothing,
  remind: nothing,
  escalate: nothing,
  reroute: nothing,
  tidy: nothing,
  stub: nothing,
  callback: async () => {},
  bulletin: nothing,
  damaged: nothing,
};
