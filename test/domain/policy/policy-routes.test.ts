import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type DraftRoute,
  policyNamesIn,
  resolveRoutes,
} from '../../../src/domain/policy/policy-routes.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';

const { escalate: _none, ...BASE } = REQUESTER_ROUTE;
const draft = (name: string, patch: Partial<DraftRoute> = {}): [string, DraftRoute] => [
  name,
  { ...BASE, name, ...patch },
];

it('names are found in channels and approvers, once each', () => {
  const routes = [
    draft('a', { channel: '#ops', approvers: ['@lead', 'user:U1', 'requester'] })[1],
    draft('b', { channel: 'C1', approvers: ['#ops', '@lead', '@ops'] })[1],
  ];
  assert.deepEqual(policyNamesIn(routes), ['@lead', '#ops', '@ops']);
});

it('ids replace the names, each once, and routes replace their names', () => {
  const routes = resolveRoutes(
    new Map([
      draft('a', {
        channel: '#ops',
        approvers: ['@lead', 'user:U1', '#ops', '@group'],
        escalate: { afterMs: 5, to: 'b' },
      }),
      draft('b', { escalate: { afterMs: 7, to: 'requester' } }),
    ]),
    new Map([
      ['#ops', 'channel:C0OPS'],
      ['@lead', 'user:U1'],
      ['@group', 'usergroup:S1'],
    ]),
  );
  const a = routes.get('a');
  assert.equal(a?.channel, 'C0OPS');
  assert.deepEqual(a?.approvers, ['user:U1', 'channel:C0OPS', 'usergroup:S1']);
  assert.equal(a?.escalate?.to, routes.get('b'));
  assert.deepEqual(a?.escalate?.to.escalate, { afterMs: 7, to: REQUESTER_ROUTE });
  assert.equal(routes.get('requester'), REQUESTER_ROUTE);
});

it('an unknown name, a missing route and a loop are problems', () => {
  const settle = (...routes: [string, DraftRoute][]) => resolveRoutes(new Map(routes), new Map());
  assert.throws(() => settle(draft('a', { approvers: ['@x'] })), /The name @x was not looked up/);
  const to = (name: string) => ({ escalate: { afterMs: 1, to: name } });
  assert.throws(() => settle(draft('a', to('c'))), /“c” is missing, or escalates in a circle/);
  assert.throws(
    () => settle(draft('a', to('b')), draft('b', to('a'))),
    /is missing, or escalates in a circle/,
  );
});
