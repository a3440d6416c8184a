import type { ApiFault, Faults } from './workspace-port.ts';

/** The faults that are set, as the rooms of the workspace ask for them. */
export interface WorkspaceFaults extends Faults {
  /** The fault that hits this call, used up by asking. */
  takeApi(method: string): ApiFault | undefined;
  /** Whether the next trigger id is born expired, used up by asking. */
  takeExpiredTrigger(): boolean;
  readonly deliveries: number;
  /** Undefined while events flow; else takes the delivery for later. */
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

/** Creates a board without faults; `disconnect` reaches the open sockets. */
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
      // Held events were promised to arrive; forgetting the fault lets them go.
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
