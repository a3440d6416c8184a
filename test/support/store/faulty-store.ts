/** Our store ports with a hook before and after every call, which can make it fail, hang, or die. */
import type { Agenda } from '../../../src/domain/ports/agenda.ts';
import type { Store } from '../../../src/domain/ports/store.ts';

/** Lets a call through, or not; `point` names it: `ledger.write`. */
export interface Passage {
  pass<T>(point: string, call: () => Promise<T>): Promise<T>;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

const PORTS = [
  'ledger',
  'inbox',
  'turnRecords',
  'history',
  'outbox',
  'agenda',
  'audit',
  'pause',
  'routes',
  'drafts',
] as const;

/** Puts a hook around every method of every port. */
export function passStore(store: Store, passage: Passage): Store {
  const ports = PORTS.map((name) => [name, passPort(name, store[name], passage)] as const);
  const passed = { ...store, ...(Object.fromEntries(ports) as unknown as Store) };
  const preload: Store['preload'] = async (...args) => {
    // Callers repeat its reads if needed, so its failure is not a failure of the turn.
    await passage.pass('store.preload', () => store.preload(...args)).catch(() => {});
  };
  return { ...passed, preload, agenda: passAgenda(store.agenda, passed.agenda, passage) };
}

/** Work under a hold calls the ports itself; the end of a visit is also a call to the store. */
function passAgenda(agenda: Agenda, passed: Agenda, passage: Passage): Agenda {
  /** Tasks are leased in memory, so a claim fails before that. Tasks taken by a fault are returned. */
  const claim: Agenda['claim'] = async (now, leaseMs, most) => {
    let claimed: Awaited<ReturnType<Agenda['claim']>> | undefined;
    try {
      return await passage.pass('agenda.claim', async () => {
        claimed = await agenda.claim(now, leaseMs, most);
        return claimed;
      });
    } catch (error) {
      for (const lease of claimed?.leases ?? []) await agenda.postpone(lease, now);
      throw error;
    }
  };
  return new Proxy(passed, {
    get(target, property, receiver) {
      if (property === 'within') return agenda.within;
      if (property === 'claim') return claim;
      if (property !== 'openVisit') return Reflect.get(target, property, receiver) as unknown;
      return async (...args: Parameters<Agenda['openVisit']>) => {
        const visit = await target.openVisit(...args);
        const leave = async () =>
          await passage.pass('agenda.leave', async () => await visit?.leave());
        return visit && { ...visit, leave };
      };
    },
  });
}

/** Puts a hook around every method of one port. */
function passPort<Port extends object>(name: string, port: Port, passage: Passage): Port {
  const passed = new Map<string | symbol, Method>();
  return new Proxy(port, {
    get(target, property, receiver) {
      const known = passed.get(property);
      if (known) return known;
      const found: unknown = Reflect.get(target, property, receiver);
      if (typeof found !== 'function') return found;
      const point = `${name}.${String(property)}`;
      const method: Method = (...args) =>
        passage.pass(point, async () => await (Reflect.apply(found, target, args) as unknown));
      passed.set(property, method);
      return method;
    },
  });
}
