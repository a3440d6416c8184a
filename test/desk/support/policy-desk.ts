/** The real desk under a policy whose text can be changed. */
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { createAdminRouteGate } from '../../../src/desk/calls/policy/admin-route-gate.ts';
import { createPolicyGate } from '../../../src/desk/calls/policy/policy-gate.ts';
import type { LoadedPolicy, PersonLookup } from '../../../src/domain/policy/policy.ts';
import { rerouteKey } from '../../../src/domain/ports/agenda.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Directory } from '../../../src/domain/ports/directory.ts';
import type { RouteBook } from '../../../src/domain/ports/store.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { loadText, NOBODY_KNOWN } from '../../support/builders/a-policy.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { startRedis } from '../../support/store/redis-server.ts';

const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

export type StoreKind = 'SQLite' | 'Redis';

export interface PolicyDesk extends TestDesk {
  /** Replaces the policy without updating the pending calls. */
  setPolicy(text: string): void;
  /** Replaces the policy as the app does, and waits until the pending calls are updated. */
  applyPolicy(text: string): Promise<void>;
  policy(): LoadedPolicy;
  /** The payments of the tool `pay`, in order. */
  readonly paid: readonly number[];
}

/** Builds the desk with a tool that pays. */
export async function buildPolicyDesk(
  t: TestContext,
  options: {
    readonly policy: string;
    readonly store?: StoreKind;
    readonly people?: PersonLookup;
    readonly directory?: Directory;
    /** Where the gate reads the routes that are set in Slack. (Default: the store) */
    readonly routes?: Pick<RouteBook, 'read'>;
  },
): Promise<PolicyDesk> {
  const paid: number[] = [];
  let loaded = loadText(options.policy);
  const redis = options.store === 'Redis' ? await startRedis() : undefined;
  const desk = await buildDesk(t, {
    tools: [
      {
        name: 'pay',
        description: 'Pays.',
        schema: z.object({ amount: z.number().optional(), to: z.string().default('bob') }),
        async run({ amount = 0 }) {
          paid.push(amount);
          return `Paid ${amount}.`;
        },
      },
    ],
    gateOf: ({ store, clock }) =>
      createAdminRouteGate({
        gate: createPolicyGate({
          policy: () => loaded,
          store,
          people: options.people ?? NOBODY_KNOWN,
          clock,
          log: SILENT,
        }),
        routes: options.routes ?? store.routes,
        mayLoosen: () => loaded.policy.slackMayLoosen === true,
      }),
    ...(options.directory && { directory: options.directory }),
    ...(redis && {
      openStore: (deps: { readonly clock: Clock; readonly onWake: () => void }) =>
        createRedisStore({ url: redis.url, prefix: 'policy', log: SILENT, ...deps }),
    }),
  });
  // The store is closed first: hooks run in the order in which they were added.
  if (redis) t.after(() => redis.stop());
  return {
    ...desk,
    paid,
    policy: () => loaded,
    setPolicy(text) {
      loaded = loadText(text);
    },
    async applyPolicy(text) {
      loaded = loadText(text);
      await desk.store.agenda.wake([{ key: rerouteKey('all'), dueAt: desk.clock.now() }]);
      await desk.rest();
    },
  };
}
