import type { ApiFault, Faults } from './workspace-port.ts';

/** Injected faults, as used by the workspace. */
export interface WorkspaceFaults extends Faults {
  /** Takes the fault for this call, if there is one. */
  takeApi(method: string): ApiFault | undefined;
  /** Takes the fault that makes the next trigger id expired, if there is one. */
  takeExpiredTrigger(): boolean;
  readonly deliveries: number;
  /** Queues a delivery while events are held. Undefined otherwise. */
  readonly hold: ((deliver: () => Promise<void>) => void) | undefined;
}

interface SetFault {
  readonly method: string;
  readonly fault: ApiFault;
  left: number;
}

interface RecurringFault {
  readonly nth: number;
  readonly methods: readonly string[];
  readonly fault: ApiFault;
  calls: number;
}

/** Creates an empty set of faults. `disconnect` closes the open sockets. */
export function createWorkspaceFaults(
  disconnect: (how: 'refresh' | 'drop') => void,
): WorkspaceFaults {
  let api: SetFault[] = [];
  let recurring: RecurringFault[] = [];
  let deliveries = 1;
  let expiring = 0;
  let held: (() => Promise<void>)[] | undefined;

  function takeRecurring(method: string): ApiFault | undefined {
    const hits = recurring.filter(({ methods }) => methods.includes(method));
    for (const each of hits) each.calls += 1;
    return hits.find(({ calls, nth }) => calls % nth === 0)?.fault;
  }

  const release = async (): Promise<void> => {
    const waiting = held ?? [];
    held = undefined;
    await Promise.all(waiting.map((deliver) => deliver()));
  };

  return {
    get deliveries() {
      return deliveries;
    },
    get hold() {
      const queue = held;
      return queue === undefined
        ? undefined
        : (deliver: () => Promise<void>) => void queue.push(deliver);
    },
    api: (method, fault, times = 1) => void api.push({ method, fault, left: times }),
    apiEach: (nth, methods, fault) => void recurring.push({ nth, methods, fault, calls: 0 }),
    deliverEvents: (times) => {
      deliveries = times;
    },
    holdEvents: () => {
      held ??= [];
      return { release };
    },
    expireTriggers: (times) => {
      expiring = times;
    },
    disconnectSockets: disconnect,
    clear: () => {
      api = [];
      recurring = [];
      deliveries = 1;
      expiring = 0;
      // Held events must still arrive, so release them.
      void release();
    },
    takeApi: (method) => {
      const found = api.find((set) => set.left > 0 && ['*', method].includes(set.method));
      if (found !== undefined) {
        found.left -= 1;
      }
      return found?.fault ?? takeRecurring(method);
    },
    takeExpiredTrigger: () => {
      expiring -= 1;
      return expiring >= 0;
    },
  };
}
