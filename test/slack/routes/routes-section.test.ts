import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ADMIN_ROUTES } from '../../../src/domain/policy/admin-routes.ts';
import { createRoutesSection } from '../../../src/slack/routes/routes-section.ts';
import { OUTSIDER, REQUESTER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';

test('App Home shows routes to admins, and does not read them for others', async () => {
  const asked: string[] = [];
  const part = createRoutesSection({
    directory: createTestDirectory({ [REQUESTER.user]: { isAdmin: true } }),
    routes: {
      async list({ user }) {
        asked.push(user);
        return { kind: 'routes', book: NO_ADMIN_ROUTES, policy: undefined };
      },
    },
    userGroups: async () => [],
  });
  assert.deepEqual(await part(OUTSIDER), []);
  const blocks = JSON.stringify(await part(REQUESTER));
  for (const id of ['route.add', 'route.manage']) assert.match(blocks, new RegExp(`"${id}"`));
  assert.match(blocks, /Without a policy file/);
  assert.deepEqual(asked, [REQUESTER.user]);
});
