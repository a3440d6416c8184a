import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  encodeRoute,
  parseMessageLink,
  parseRoute,
  type Route,
} from '../../../../src/playground/page/state/route.ts';

test('a route survives the round trip through the address', () => {
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

test('an address without a route shows the messages of the first person', () => {
  assert.deepEqual(parseRoute('', 'requester'), { as: 'requester', tab: 'messages', pane: 'chat' });
  assert.equal(parseRoute('#pane=nonsense&tab=x', 'requester').pane, 'chat');
});

test('a Slack link to a message opens its thread here, and no other link does', () => {
  const link = 'https://slack.com/archives/C0GENERAL/p1700000000000100';
  const thread = '1700000000.000100';
  assert.deepEqual(parseMessageLink(link), { channel: 'C0GENERAL', thread });
  assert.deepEqual(
    parseMessageLink(
      `${link.replace('slack', 'x.slack')}?thread_ts=1600000000.000200&cid=C0GENERAL`,
    ),
    { channel: 'C0GENERAL', thread: '1600000000.000200' },
  );
  for (const other of ['https://slack.com/', 'https://evil.example/archives/C0/p1700000000000100'])
    assert.equal(parseMessageLink(other), undefined, other);
});
