import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createSlackDirectory } from '../../../src/slack/people/slack-directory.ts';
import { connectSlack } from '../../../src/slack/transport/connect-slack.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const silent = () => {};

async function groupsOf(t: TestContext) {
  const workspace = await createWorkspace({ clock: createSystemClock() });
  t.after(() => workspace.stop());
  const connection = await connectSlack({
    config: { botToken: workspace.botToken, apiUrl: workspace.apiUrl, appToken: 'xapp-1' },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const clock = createManualClock();
  let behindMs = 0;
  const directory = createSlackDirectory({
    connection,
    clock: {
      now: () => clock.now() - behindMs,
      schedule: (at, run) => clock.schedule(at + behindMs, run),
    },
    log: { warn: silent },
    adminUsers: new Set(),
  });
  return {
    workspace,
    clock,
    directory,
    putClockBack(ms: number) {
      behindMs = ms;
    },
    asked: (method: string) => workspace.journal.filter(({ name }) => name === method).length,
  };
}

const OPS = 'usergroup:S0OPSAPPROVERS';

describe('a group', () => {
  it('has its members and its handle if it is a user group', async (t) => {
    const { directory } = await groupsOf(t);
    const { members, handle, missing } = await directory.groupOf(OPS);
    assert.deepEqual([...members].sort(), ['U0ADMIN', 'U0APPROVER']);
    assert.equal(handle, 'ops-approvers');
    assert.equal(missing, undefined);
  });

  it('has all members of a channel, page by page', async (t) => {
    const { workspace, directory, asked } = await groupsOf(t);
    const channel = workspace.channel('general');
    const { members } = await directory.groupOf(`channel:${channel.id}`);
    assert.deepEqual([...members].sort(), [...channel.members].sort());
    assert.equal(asked('conversations.members'), 1);
  });

  it('is missing and empty if Slack does not show it, and says what to fix', async (t) => {
    const { workspace, directory } = await groupsOf(t);
    const gone = await directory.groupOf('usergroup:S0GONE');
    assert.deepEqual([...gone.members], []);
    assert.match(gone.missing ?? '', /user group does not exist/);
    const hidden = await directory.groupOf(`channel:${workspace.channel('finance').id}`);
    assert.deepEqual([...hidden.members], []);
    assert.match(hidden.missing ?? '', /\/invite/);
  });

  it('throws Slack’s error, which is not cached', async (t) => {
    const { workspace, directory } = await groupsOf(t);
    workspace.faults.api('usergroups.users.list', { kind: 'status', status: 500 });
    await assert.rejects(() => directory.groupOf(OPS), /did not answer as it should/);
    workspace.faults.api('usergroups.users.list', { kind: 'rate-limited', retryAfterS: 9 });
    await assert.rejects(
      () => directory.groupOf(OPS),
      (error) => error instanceof ChatError && error.retryAfterMs === 9_000,
    );
    workspace.faults.api('usergroups.users.list', { kind: 'error', error: 'missing_scope' });
    await assert.rejects(() => directory.groupOf(OPS), /install it again with the manifest/);
    assert.equal((await directory.groupOf(OPS)).members.size, 2);
  });

  it('has its members even if Slack does not return its handle', async (t) => {
    const { workspace, directory } = await groupsOf(t);
    workspace.faults.api('usergroups.list', { kind: 'status', status: 500 });
    const { members, handle } = await directory.groupOf(OPS);
    assert.equal(members.size, 2);
    assert.equal(handle, undefined);
  });

  it('is cached for a minute, except for callers that want no cache', async (t) => {
    const { workspace, clock, directory, asked } = await groupsOf(t);
    const asks = () => asked('usergroups.users.list');
    await Promise.all([directory.groupOf(OPS), directory.groupOf(OPS, { maxAgeMs: 0 })]);
    assert.equal(asks(), 1);
    workspace.setUserGroup('ops-approvers', ['admin']);
    await clock.advance(59_999);
    assert.equal((await directory.groupOf(OPS)).members.size, 2);
    assert.equal(asks(), 1);
    assert.equal((await directory.groupOf(OPS, { maxAgeMs: 0 })).members.size, 1);
    assert.equal((await directory.groupOf(OPS)).members.size, 1);
    assert.equal(asks(), 2);
    assert.equal(asked('usergroups.list'), 1);
    await clock.advance(60_000);
    await directory.groupOf(OPS);
    assert.equal(asks(), 3);
  });

  it('is read again after the clock was set back', async (t) => {
    const { workspace, directory, putClockBack } = await groupsOf(t);
    await directory.groupOf(OPS);
    workspace.setUserGroup('ops-approvers', ['admin']);
    putClockBack(3_600_000);
    assert.equal((await directory.groupOf(OPS, { maxAgeMs: 0 })).members.size, 1);
    workspace.setUserGroup('ops-approvers', []);
    putClockBack(7_200_000);
    assert.equal((await directory.groupOf(OPS)).members.size, 0);
  });

  it('times out early enough for a click', async (t) => {
    const { workspace, clock, directory } = await groupsOf(t);
    workspace.faults.api('usergroups.users.list', { kind: 'hang' });
    const asking = assert.rejects(() => directory.groupOf(OPS), /did not answer in time/);
    await clock.advance(1_500);
    await asking;
    assert.equal(clock.pendingCount, 0);
  });
});

describe('a channel with more members than a page', () => {
  it('is read to the end', async () => {
    const many = Array.from({ length: 1_200 }, (_, i) => `U${i}`);
    const asked: (string | undefined)[] = [];
    const client = {
      conversations: {
        members: async ({ cursor, limit }: { cursor?: string; limit: number }) => {
          asked.push(cursor);
          const from = Number(cursor ?? 0);
          const next = from + limit < many.length ? String(from + limit) : '';
          return {
            ok: true,
            members: many.slice(from, from + limit),
            response_metadata: { next_cursor: next },
          };
        },
      },
    };
    const directory = createSlackDirectory({
      connection: { client, identity: { team: 'T1' } } as never,
      clock: createManualClock(),
      log: { warn: silent },
      adminUsers: new Set(),
    });
    const { members } = await directory.groupOf('channel:C1');
    assert.equal(members.size, 1_200);
    assert.deepEqual(asked, [undefined, '999']);
  });
});
