import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeRoute, parseRoute, type Route } from '../../../src/playground/page/route.ts';

test('a route in the address is the route that was put there', () => {
  const id = fc.string({ minLength: 1 });
  const routes: fc.Arbitrary<Route> = fc.record(
    {
      as: id,
      channel: id,
      thread: id,
      tab: fc.constantFrom('messages', 'home'),
      pane: fc.constantFrom('list', 'chat', 'developer'),
    },
    { requiredKeys: ['as', 'tab', 'pane'], noNullPrototype: true },
  );
  fc.assert(
    fc.property(routes, (route) => {
      assert.deepEqual(parseRoute(encodeRoute(route), 'nobody'), route);
    }),
  );
});

test('an address without a route is the first person at the messages', () => {
  assert.deepEqual(parseRoute('', 'requester'), { as: 'requester', tab: 'messages', pane: 'chat' });
  assert.equal(parseRoute('#pane=nonsense&tab=x', 'requester').pane, 'chat');
});
