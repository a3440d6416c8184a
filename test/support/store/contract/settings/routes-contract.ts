import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AdminRouteDraft,
  NO_ADMIN_ROUTES,
  withAdminRoute,
  withoutAdminRoute,
} from '../../../../../src/domain/policy/admin-routes.ts';
import { REQUESTER, THREAD } from '../../../builders/a-call.ts';
import { aDraft, aSay, eventsOf, type OpenBench } from '../contract-store.ts';

const OPS: AdminRouteDraft = {
  name: 'ops',
  approvers: ['usergroup:S0OPS', 'user:U2', 'requester'],
  quorum: 2,
  selfApproval: false,
  decisions: ['approve', 'ignore'],
  deadlineMs: 60_000,
  channel: 'C0OPS',
  escalate: { afterMs: 30_000, to: 'requester' },
  tools: ['pay_*'],
};

export function routesContract(open: OpenBench): void {
  test('the routes are empty at first, and survive a restart once written', async (t) => {
    const bench = await open(t);
    assert.deepEqual(await bench.store.routes.read(), NO_ADMIN_ROUTES);
    const first = withAdminRoute(NO_ADMIN_ROUTES, OPS, REQUESTER, 5);
    const second = withoutAdminRoute(first, 'ops', REQUESTER, 6);
    assert.equal(await bench.store.routes.write(first, {}), true);
    assert.equal(await bench.store.routes.write(second, {}), true);
    const store = await bench.reopen();
    assert.deepEqual(await store.routes.read(), second);
    const third = withAdminRoute(second, OPS, REQUESTER, 7);
    assert.equal(await store.routes.write(third, {}), true);
    assert.deepEqual(await store.routes.read(), third);
  });

  test('of concurrent changes to one revision, the first is written with its effects, and the others do nothing', async (t) => {
    const { store } = await open(t);
    const make = (name: string) => withAdminRoute(NO_ADMIN_ROUTES, { ...OPS, name }, REQUESTER, 5);
    const write = (name: string) =>
      store.routes.write(make(name), { audit: [aDraft(name)], outboxMessages: [aSay(name)] });
    const written = await Promise.all([write('first'), write('second'), write('third')]);
    assert.deepEqual(written, [true, false, false]);
    assert.deepEqual(await store.routes.read(), make('first'));
    assert.deepEqual(await eventsOf(store), ['first']);
    const unsaid = await store.outbox.pendingMessages(THREAD);
    assert.deepEqual(
      unsaid.map(({ id }) => id),
      ['first'],
    );

    const late = withAdminRoute(make('first'), OPS, REQUESTER, 6);
    assert.equal(await store.routes.write({ ...late, revision: 3 }, {}), false);
    assert.equal(await store.routes.write(late, {}), true);
  });
}
