/** `countersign policy explain` with routes that are set in Slack. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCountersign } from '../../../src/commands/run-countersign.ts';
import {
  type AdminRouteDraft,
  NO_ADMIN_ROUTES,
  withAdminRoute,
} from '../../../src/domain/policy/admin-routes.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const POLICY = `version: 1
routes:
  ops: { channel: "#ops", approvers: ["@lead", usergroup:S0OPS], remindAfter: 30m, requireReason: true }
rules:
  - { tools: [write_file], gate: ask, route: ops, risk: high }
`;

const FIN: AdminRouteDraft = {
  name: 'fin',
  approvers: ['user:U2', 'user:U3'],
  quorum: 2,
  selfApproval: false,
  decisions: ['approve', 'ignore'],
  deadlineMs: 3_600_000,
  tools: ['write_*'],
};

const WRITE = [
  'write_file',
  '{"path":"a.txt","content":"x"}',
  '--requester',
  'U1',
  '--channel',
  'C1',
];

test('uses the routes that are set in Slack, with and without a running app, and says if it can’t read them', async (t) => {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  const clock = createSystemClock();
  const workspace = join(path, 'workspace');
  const dataDir = join(path, 'data');
  const policy = join(path, 'policy.yaml');
  await mkdir(workspace);
  await writeFile(policy, POLICY);

  async function explain(more: Readonly<Record<string, string>>, ...options: readonly string[]) {
    const out: string[] = [];
    const env = { WORKSPACE_DIR: workspace, DATA_DIR: dataDir, ...more };
    const code = await runCountersign(['policy', 'explain', ...WRITE, ...options], {
      env,
      clock,
      out: (text) => out.push(text),
      err: (text) => assert.fail(text),
      write: async (text) => assert.fail(text),
    });
    assert.equal(code, 0);
    return out.join('\n').replaceAll(path, '.');
  }

  const file = { POLICY_FILE: policy };
  const store = createSqliteStore({ dataDir, clock });
  t.after(() => store.close());
  assert.doesNotMatch(await explain(file), /Slack/);
  await store.routes.write(withAdminRoute(NO_ADMIN_ROUTES, FIN, REQUESTER, 1), {});
  assert.equal(
    await explain(file),
    `write_file would wait for approval, by rule 1, line 5 of ./policy.yaml.
The route “fin”, set in Slack, applies beside the rules, and the stricter one counts.
  route      ops + fin
  card       in #ops (a name, looked up at the start)
  approvers  person U2, person U3; of these only those who are also @lead (a name, looked up at the start), user group S0OPS
  quorum     2 approvals; the requester’s own approval does not count
  allows     approve, ignore; an approval needs a reason
  deadline   1h; a reminder after 30m
  risk       high`,
  );

  await store.close();
  const said = JSON.parse(await explain({}, '--json'));
  assert.deepEqual(
    [said.gate, said.route.name, said.slack],
    ['ask', 'fin', { route: 'fin', how: 'instead' }],
  );

  const redis = await explain({ ...file, REDIS_URL: 'redis://localhost' });
  assert.match(redis, /Assumed: No routes are set in Slack: those in Redis are not read here/);
  assert.doesNotMatch(redis, /fin/);
  await writeFile(join(dataDir, 'countersign.db'), 'This is no database, by any means.');
  assert.match(await explain(file), /Assumed: No routes are set in Slack: they can't be read \(/);
});
