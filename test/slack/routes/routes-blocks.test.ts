/** The largest views of routes stay within Slack's rules and let no markup through. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AdminRouteDraft,
  type AdminRoutes,
  MAX_ADMIN_ROUTES,
  NO_ADMIN_ROUTES,
  withAdminRoute,
} from '../../../src/domain/policy/admin-routes.ts';
import { validateView } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildRouteForm } from '../../../src/slack/routes/form/route-form.ts';
import { parseRouteFormMetadata } from '../../../src/slack/routes/form/route-form-metadata.ts';
import { parseRouteToken } from '../../../src/slack/routes/route-ids.ts';
import { buildRoutesSection } from '../../../src/slack/routes/routes-blocks.ts';
import { buildRoutesModal } from '../../../src/slack/routes/routes-modal.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { loadText } from '../../support/builders/a-policy.ts';

const PEOPLE = Array.from({ length: 40 }, (_, i) => `user:U${'X'.repeat(30)}${i}` as const);
const HUGE: AdminRouteDraft = {
  name: 'x',
  approvers: [...PEOPLE, 'usergroup:S1', 'channel:C1', 'requester'],
  quorum: 3,
  selfApproval: true,
  decisions: ['approve', 'edit', 'reply', 'ignore'],
  deadlineMs: 90_061_000,
  remindAfterMs: 60_000,
  requiresReason: true,
  allowsGuests: true,
  channel: 'C1',
  tools: Array.from({ length: 40 }, (_, i) => `${'t'.repeat(67)}${i}*`),
};

function fullBook(): AdminRoutes {
  let book = NO_ADMIN_ROUTES;
  for (let i = 0; i < MAX_ADMIN_ROUTES; i += 1) {
    const name = `${'r'.repeat(37)}${i}`;
    const escalate = { afterMs: 60_000, to: 'requester' };
    book = withAdminRoute(book, { ...HUGE, name, escalate }, REQUESTER, 1);
  }
  return book;
}

const RULES = Array.from(
  { length: 80 },
  (_, i) =>
    `  - { tools: [t${i}], when: 'args.a == "<!channel> *b* \`c\` ${'y'.repeat(300)}"', gate: refuse, reason: "<!here> ${'z'.repeat(400)}" }`,
).join('\n');
const POLICY = `version: 1\nroutes:\n  ops: { approvers: [user:U1], channel: C9 }\nrules:\n${RULES}\ndefault: { gate: ask, route: ops }\n`;

describe('the views of routes', () => {
  const handles = new Map([['usergroup:S1', 'ops-leads']]);
  const found = { book: fullBook(), policy: loadText(POLICY), handles };

  it('stay within Slack’s limits with the maximum of routes and rules', () => {
    const list = buildRoutesModal(found, 'Look.');
    assert.deepEqual(validateView(list), []);
    const blocks = buildRoutesSection(found);
    assert.deepEqual(validateView({ type: 'home', blocks }), []);
    // App Home shows other blocks too.
    assert(blocks.length <= 40);
  });

  it('mention nobody in texts of the file, and show its conditions as code', () => {
    const text = JSON.stringify(buildRoutesModal(found));
    assert.doesNotMatch(text, /<!(?:channel|here)>/);
    assert.match(text, /&lt;!channel&gt; \*b\*/);
    assert.match(text, /This list is cut off/);
    assert.match(text, /@ops-leads/);
    assert.match(text, /and 30 more/);
    assert.doesNotMatch(text, /…"/);
  });

  it('fill the form with all settings of a route', () => {
    const [route] = found.book.routes;
    assert(route);
    const parts = {
      book: found.book,
      tools: Array.from({ length: 150 }, (_, i) => `tool_${i}`),
      groups: [{ id: 'S1', handle: 'ops-leads' }],
    };
    const meta = { name: route.name, seen: 7, from: 'list' } as const;
    const form = buildRouteForm({ ...parts, route, meta, channelNote: 'Note.' });
    assert.deepEqual(validateView(form), []);
    assert.deepEqual(parseRouteFormMetadata(form.private_metadata ?? ''), meta);
    const empty = buildRouteForm({ ...parts, route: undefined, meta: { seen: 0, from: 'home' } });
    assert.deepEqual(validateView(empty), []);
    const bare = { ...parts, tools: [], groups: [], book: NO_ADMIN_ROUTES };
    const least = buildRouteForm({ ...bare, route: undefined, meta: { seen: 0, from: 'home' } });
    assert.deepEqual(validateView(least), []);
  });

  it('accept only tokens and facts that we wrote', () => {
    for (const text of ['', '0 ops', '1 ', '1 a b', '01 ops', 'x ops', `1 ${'a'.repeat(41)}`]) {
      assert.equal(parseRouteToken(text), undefined);
    }
    assert.deepEqual(parseRouteToken('12 ops'), { name: 'ops', revision: 12 });
    for (const text of [
      '',
      '{',
      '[]',
      '{"seen":1}',
      '{"from":"list","seen":1.5}',
      '{"from":"x","seen":1}',
    ]) {
      assert.equal(parseRouteFormMetadata(text), undefined);
    }
  });
});
