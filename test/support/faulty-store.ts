/** Our own store ports with a door before and after every call: what passes there can fail, hang, or die. */
import type { Store } from '../../src/domain/store.ts';

/** Lets a call through, or not; `point` names it: `ledger.write`. */
export interface Passage {
  pass<T>(point: string, call: () => Promise<T>): Promise<T>;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

const PORTS = [
  'ledger',
  'inbox',
  'records',
  'history',
  'outbox',
  'agenda',
  'audit',
  'pause',
  'routes',
  'drafts',
] as const;

/** Puts a passage around every method of every port. */
export function passStore(store: Store, passage: Passage): Store {
  const ports = PORTS.map((name) => [name, passPort(name, store[name], passage)] as const);
  return { ...store, ...(Object.fromEntries(ports) as unknown as Store) };
}

/** Puts a passage around every method of one port. */
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
