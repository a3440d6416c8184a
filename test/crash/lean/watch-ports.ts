/** Names the moments at which a worker can die: before, during and after its requests to ports. */

import type { Step, TransitionCause } from '../../../src/domain/calls/transitions.ts';
import type { LeasedKeys } from '../../../src/domain/ports/agenda.ts';
import type { Agent } from '../../../src/domain/ports/agent.ts';
import type { Effects, Store } from '../../../src/domain/ports/store.ts';
import type { KillSwitch } from './kill-switch.ts';

/** The effect of a method, by the name of the moment; a method without one is passed through. */
type Names = Readonly<Record<string, string | ((args: readonly unknown[]) => string)>>;

const DECISIONS: ReadonlySet<TransitionCause> = new Set([
  'vote',
  'approve',
  'edit',
  'reply',
  'ignore',
]);
const CHANGES: Partial<Readonly<Record<TransitionCause, string>>> = {
  claim: 'claim',
  finish: 'result commit',
  recover: 'recovery',
  rerun: 'settlement',
  settle: 'settlement',
  expire: 'expiry',
};

function nameWrite(args: readonly unknown[]): string {
  const [first] = args[1] as readonly Step[];
  if (!first) return 'write';
  return DECISIONS.has(first.cause) ? 'decision commit' : (CHANGES[first.cause] ?? first.cause);
}

function nameAdd(args: readonly unknown[]): string {
  return (args[0] as Effects['outboxMessages'])?.length === 0 ? 'nothing to say' : 'words to say';
}

const STORE_NAMES: Readonly<Record<string, Names>> = {
  inbox: { receive: 'inbox write', begin: 'begin of a turn' },
  ledger: {
    propose: 'proposal',
    write: nameWrite,
    placeCard: 'place of a card',
  },
  history: { append: 'settled turn' },
  outbox: { add: nameAdd, markSent: 'mark of words' },
};

const AGENT_NAMES: Names = {
  start: 'start of the graph',
  resume: 'resume',
  snapshot: 'snapshot',
  forget: 'forgetting',
};

/** Adds kill points to a store. */
export function watchStore<S extends Store>(store: S, kill: KillSwitch): S {
  const ports = Object.entries(STORE_NAMES).map(([port, names]) => [
    port,
    watch(store[port as keyof S] as object, names, kill),
  ]);
  return {
    ...store,
    ...Object.fromEntries(ports),
    agenda: {
      ...store.agenda,
      async claim(now: number, leaseMs: number, most: number): Promise<LeasedKeys> {
        const claimed = await store.agenda.claim(now, leaseMs, most);
        for (const { key } of claimed.leases) kill.pass(`after claim of ${key.task}`);
        return claimed;
      },
    },
  };
}

/** Adds kill points to an agent. */
export function watchAgent(agent: Agent, kill: KillSwitch): Agent {
  return watch(agent, AGENT_NAMES, kill);
}

function watch<T extends object>(port: T, names: Names, kill: KillSwitch): T {
  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key, target);
      const name = names[String(key)];
      if (typeof method !== 'function') return method;
      // Private fields belong to the target itself.
      if (name === undefined) return method.bind(target);
      return async (...args: readonly unknown[]) => {
        const what = typeof name === 'string' ? name : name(args);
        await kill.hang(`before ${what}`);
        // By then a request was sent, or a commit was written whose sync starts later.
        if (kill.isTime(`amid ${what}`)) setImmediate(kill.die);
        const under = Promise.resolve(method.apply(target, args));
        const result: unknown = await under;
        kill.pass(`after ${what}`);
        return result;
      };
    },
  });
}
