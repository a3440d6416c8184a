import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AdminRouteDraft,
  type AdminRoutes,
  findAdminRoute,
  MAX_ADMIN_ROUTES,
  NO_ADMIN_ROUTES,
  withAdminRoute,
  withoutAdminRoute,
} from '../../../src/domain/policy/admin-routes.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import type { RouteProblem } from '../../../src/domain/policy/route-problem.ts';
import { validateAdminRoute } from '../../../src/domain/policy/validate-admin-route.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { loadText } from '../../support/builders/a-policy.ts';

const ROUTE: AdminRouteDraft = {
  name: 'ops',
  approvers: ['usergroup:S1'],
  quorum: 1,
  selfApproval: false,
  decisions: ['approve', 'ignore'],
  deadlineMs: 3_600_000,
  tools: [],
};

function aBook(...drafts: readonly Partial<AdminRouteDraft>[]): AdminRoutes {
  return drafts.reduce<AdminRoutes>(
    (book, draft) => withAdminRoute(book, { ...ROUTE, ...draft }, REQUESTER, 1),
    NO_ADMIN_ROUTES,
  );
}

function judge(
  draft: Partial<AdminRouteDraft>,
  { book = NO_ADMIN_ROUTES, policy }: { book?: AdminRoutes; policy?: string } = {},
): readonly RouteProblem[] {
  const file = policy === undefined ? undefined : loadText(policy).policy;
  const around = { book, policy: file, tools: ['pay', 'pay_tip', 'refund'] };
  return validateAdminRoute({ ...ROUTE, ...draft }, around);
}

describe('the route of a tool', () => {
  const book = aBook(
    { name: 'all', tools: ['*'] },
    { name: 'pays', tools: ['pay_*'] },
    { name: 'tips', tools: ['pay_tip', '*_ti*'] },
    { name: 'wires', tools: ['wire*'] },
    { name: 'stars', tools: ['*w****'] },
  );
  for (const [tool, name] of [
    ['pay_tip', 'tips'],
    ['pay_invoice', 'pays'],
    ['pay', 'all'],
    ['get_tips', 'tips'],
    // Stars do not count as characters.
    ['wire_out', 'wires'],
    ['pay*', 'all'],
    // Equal lengths: the first one wins.
    ['pay_ti_x', 'pays'],
  ] as const) {
    it(`is the one with the longest matching pattern: ${tool} uses ${name}`, () => {
      assert.equal(findAdminRoute(book, tool)?.name, name);
    });
  }

  it('is absent if no pattern matches, and after it was removed', () => {
    const one = aBook({ tools: ['pay_*'] });
    assert.equal(findAdminRoute(one, 'refund'), undefined);
    assert.equal(findAdminRoute(withoutAdminRoute(one, 'ops', REQUESTER, 2), 'pay_x'), undefined);
  });

  it('includes the routes that it escalates to, and stops before a loop', () => {
    const afterMs = 60_000;
    const there = aBook(
      { name: 'a', tools: ['pay'], escalate: { afterMs, to: 'b' } },
      { name: 'b', escalate: { afterMs, to: 'requester' } },
      { name: 'c', tools: ['refund'], escalate: { afterMs, to: 'd' } },
      { name: 'd', escalate: { afterMs, to: 'c' } },
    );
    const route = findAdminRoute(there, 'pay');
    assert.equal(route?.escalate?.to.name, 'b');
    assert.equal(route?.escalate?.to.escalate?.to, REQUESTER_ROUTE);
    assert.equal(findAdminRoute(there, 'refund')?.escalate?.to.escalate, undefined);
    assert.deepEqual(
      Object.keys(route ?? {}).filter((key) => /tools|changed|revision/.test(key)),
      [],
    );
  });
});

describe('the stored admin routes', () => {
  const other = { team: REQUESTER.team, user: 'U9' };
  const names = (book: AdminRoutes) => book.routes.map(({ name }) => name);

  it('append a new route and replace a changed one, each with its author, time and revision', () => {
    const book = aBook({ name: 'a' }, { name: 'b' }, { name: 'c' });
    assert.equal(book.revision, 3);
    const changed = withAdminRoute(book, { ...ROUTE, name: 'b', quorum: 2 }, other, 7);
    assert.deepEqual(names(changed), ['a', 'b', 'c']);
    assert.deepEqual(changed.routes[1], {
      ...ROUTE,
      name: 'b',
      quorum: 2,
      changedBy: other,
      changedAt: 7,
      revision: 4,
    });
    assert.deepEqual(
      changed.routes.filter(({ name }) => name !== 'b'),
      book.routes.filter(({ name }) => name !== 'b'),
    );
    assert.deepEqual(changed.removed, []);
  });

  it('remember who removed a route, newest first and once per name, until a route of that name is added again', () => {
    const book = aBook({ name: 'a' }, { name: 'b' });
    const one = withoutAdminRoute(book, 'a', other, 5);
    assert.deepEqual([one.revision, names(one)], [3, ['b']]);
    assert.deepEqual(one.removed, [{ name: 'a', by: other, at: 5 }]);
    const both = withoutAdminRoute(one, 'b', REQUESTER, 6);
    assert.deepEqual(both.removed, [
      { name: 'b', by: REQUESTER, at: 6 },
      { name: 'a', by: other, at: 5 },
    ]);
    const again = withoutAdminRoute(both, 'a', REQUESTER, 8);
    assert.deepEqual(
      again.removed.map(({ at, name }) => [name, at]),
      [
        ['a', 8],
        ['b', 6],
      ],
    );
    const back = withAdminRoute(both, { ...ROUTE, name: 'a' }, other, 9);
    assert.deepEqual(
      back.removed.map(({ name }) => name),
      ['b'],
    );
  });

  it('keep twenty removed ones', () => {
    let book = NO_ADMIN_ROUTES;
    for (let i = 0; i < 22; i += 1) book = withoutAdminRoute(book, `r${i}`, other, i);
    assert.equal(book.removed.length, 20);
    assert.equal(book.removed[0]?.name, 'r21');
    assert.equal(book.removed.at(-1)?.name, 'r2');
  });
});

describe('a route that an admin wants to save', () => {
  const wrong: readonly (readonly [Partial<AdminRouteDraft>, field: string, why: RegExp])[] = [
    [{ name: 'requester' }, 'name', /is built in/],
    [{ name: '9ops' }, 'name', /starting with a letter/],
    [{ name: 'x'.repeat(41) }, 'name', /1 to 40/],
    [{ tools: ['pay`'.repeat(20)] }, 'tools', /is not a tool name/],
    [{ tools: ['a b'] }, 'tools', /is not a tool name/],
    [{ tools: ['!pay'] }, 'tools', /is not a tool name/],
    [{ tools: ['^pay$'] }, 'tools', /is not a tool name/],
    [{ tools: Array.from({ length: 41 }, (_, i) => `t${i}`) }, 'tools', /At most 40/],
    [{ approvers: [] }, 'approvers', /Nobody could decide/],
    [{ approvers: ['user:<!here>'] }, 'approvers', /is not a person/],
    [{ approvers: ['requester'] }, 'approvers', /Only the requester could decide/],
    [{ decisions: ['edit', 'ignore'] }, 'decisions', /without it, nothing can run/],
    [{ quorum: 0 }, 'quorum', /from 1 to 50/],
    [{ quorum: 1.5 }, 'quorum', /whole number/],
    [
      { approvers: ['user:U1', 'requester'], quorum: 2 },
      'quorum',
      /^Only 1 person can approve; 2 are needed\.$/,
    ],
    [{ deadlineMs: 31 * 86_400_000 }, 'deadline', /At most 30d/],
    [{ remindAfterMs: 3_600_000 }, 'remindAfter', /before the deadline/],
    [{ escalate: { afterMs: 3_600_000, to: 'requester' } }, 'escalateAfter', /before the deadline/],
    [{ escalate: { afterMs: 60_000, to: 'gone' } }, 'escalateTo', /route “gone” does not exist/],
  ];
  for (const [draft, field, why] of wrong) {
    it(`is rejected for its ${field}: ${why.source}`, () => {
      const problems = judge(draft);
      assert.deepEqual(
        problems.map((problem) => problem.field),
        [field],
      );
      assert.match(problems[0]?.message ?? '', why);
    });
  }

  it('is accepted if nothing is wrong', () => {
    const draft = { approvers: ['user:U1', 'requester'], quorum: 2, selfApproval: true } as const;
    assert.deepEqual(judge({ ...draft, tools: ['pay'] }), []);
    assert.deepEqual(judge({ name: 'x'.repeat(40), remindAfterMs: 3_599_000 }), []);
  });

  it('cannot reuse a pattern of another route or a name of the file, or exceed the limit', () => {
    const book = aBook({ name: 'ops', tools: ['pay'] });
    assert.match(judge({ name: 'b', tools: ['pay'] }, { book })[0]?.message ?? '', /“ops”/);
    assert.deepEqual(judge({ tools: ['pay'] }, { book }), []);
    const routes =
      'routes:\n  top: { approvers: [user:U1] }\n  ops: { approvers: [user:U1], escalate: { after: 1h, to: top } }\n';
    const policy = `version: 1\n${routes}default: { gate: ask, route: ops }\n`;
    for (const name of ['ops', 'top']) {
      assert.match(judge({ name }, { policy })[0]?.message ?? '', /The policy file has a route/);
    }
    const full = aBook(...Array.from({ length: MAX_ADMIN_ROUTES }, (_, i) => ({ name: `r${i}` })));
    assert.match(judge({ name: 'more' }, { book: full })[0]?.message ?? '', /Remove one first/);
    assert.deepEqual(judge({ name: 'r3' }, { book: full }), []);
  });

  it('cannot weaken a default of the file that names a route, but may replace confirmation by the requester', () => {
    const named = `version: 1
routes: { ops: { approvers: [usergroup:S1], quorum: 2 } }
default: { gate: ask, route: ops }
`;
    const [problem] = judge({ name: 'fin', tools: ['anything'] }, { policy: named });
    assert.equal(problem?.field, 'quorum');
    assert.match(
      problem?.message ?? '',
      /^This would loosen the default, line 3 of the policy file/,
    );
    const open = 'version: 1\ndefault: { gate: ask, route: requester }\n';
    assert.deepEqual(judge({ tools: ['anything'] }, { policy: open }), []);
    assert.deepEqual(
      judge({ name: 'fin', tools: ['anything'] }, { policy: `${named}slackMayLoosen: true\n` }),
      [],
    );
  });

  it('is checked for each tool that its pattern matches; rules for only some calls are left to the gate', () => {
    const policy = `version: 1
rules:
  - { tools: [pay_tip], gate: refuse, reason: No tips. }
  - { tools: [refund], when: 'true', gate: refuse, reason: No. }
  - { tools: [pay], agent: research, gate: refuse, reason: No. }
`;
    assert.match(judge({ tools: ['pay*'] }, { policy })[0]?.message ?? '', /it refuses “pay_tip”/);
    assert.deepEqual(judge({ tools: ['pay', 'refund'] }, { policy }), []);
  });
});
