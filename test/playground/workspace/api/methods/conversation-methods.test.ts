import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf } from '../../refusal-of.ts';
import { startEndpoint, startWorkspace } from '../../start-lab.ts';

test('timestamps follow the clock, and history honours oldest, latest and limit', async (t) => {
  const { workspace, client, clock } = await startWorkspace(t);
  const channel = workspace.channel('ops').id;
  const ts: string[] = [];
  for (const text of ['one', 'two', 'three']) {
    clock.advance(3_600_000);
    ts.push((await client.chat.postMessage({ channel, text })).ts ?? '');
  }
  assert.equal(Number(ts[2]) - Number(ts[0]), 7200);
  const texts = async (args: object) =>
    (await client.conversations.history({ channel, ...args })).messages?.map(({ text }) => text);
  assert.deepEqual(await texts({}), ['three', 'two', 'one']);
  assert.deepEqual(await texts({ oldest: ts[1] }), ['three']);
  assert.deepEqual(await texts({ latest: ts[1], inclusive: true }), ['two', 'one']);
  const first = await client.conversations.history({ channel, limit: 2 });
  const cursor = first.response_metadata?.next_cursor ?? '';
  assert.deepEqual(await texts({ cursor, limit: 2 }), ['one']);
});

test('users.info distinguishes guests, strangers, admins and deactivated people', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const info = async (name: string) =>
    (await client.users.info({ user: workspace.member(name).id })).user;
  assert.equal((await info('guest'))?.is_restricted, true);
  assert.equal((await info('admin'))?.is_admin, true);
  assert.deepEqual(
    [(await info('stranger'))?.is_stranger, (await info('stranger'))?.team_id],
    [true, 'T0OTHER'],
  );
  assert.deepEqual(
    [(await info('requester'))?.is_stranger, (await info('requester'))?.tz],
    [undefined, 'Etc/UTC'],
  );
  assert.equal((await info('countersign'))?.is_bot, true);
  workspace.changeMember('approver', { deleted: true });
  assert.equal((await info('approver'))?.deleted, true);
  assert.equal(await refusalOf(client.users.info({ user: 'U0NOBODY' })), 'user_not_found');
  const users = workspace.member('approver').id;
  assert.equal(await refusalOf(client.conversations.open({ users })), 'user_disabled');
});

test('user groups can be set and read', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const usergroup = workspace.setUserGroup('approvers', ['approver', 'admin']);
  const expected = [workspace.member('approver').id, workspace.member('admin').id];
  assert.deepEqual((await client.usergroups.users.list({ usergroup })).users, expected);
  const { usergroups } = await client.usergroups.list({});
  assert.deepEqual(
    usergroups?.map(({ handle }) => handle),
    ['ops-approvers', 'approvers'],
  );
  assert.equal(
    await refusalOf(client.usergroups.users.list({ usergroup: 'S0NO' })),
    'no_such_subteam',
  );
});

test('the app sees public channels and those it is in, and their members', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const types = 'public_channel,private_channel';
  const listed = await client.conversations.list({ types });
  assert.deepEqual(
    listed.channels?.map(({ name }) => name),
    ['general', 'ops', 'shared', 'approvals'],
  );
  const requester = workspace.member('requester').id;
  const mine = await client.users.conversations({ user: requester, types });
  assert.deepEqual(
    mine.channels?.map(({ name }) => name),
    ['general', 'ops', 'shared'],
  );
  const channel = workspace.channel('shared').id;
  const { members } = await client.conversations.members({ channel });
  assert.ok(members?.includes(workspace.member('stranger').id));
  assert.equal((await client.conversations.info({ channel })).channel?.is_ext_shared, true);
  assert.equal(
    await refusalOf(client.conversations.info({ channel: workspace.channel('finance').id })),
    'channel_not_found',
  );
});

test('memberships follow the app’s calls', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  const outsider = workspace.member('outsider').id;
  const channel = workspace.channel('ops').id;
  await client.conversations.invite({ channel, users: outsider });
  assert.ok(workspace.see('outsider').channels.some(({ name }) => name === 'ops'));
  await workspace.waitFor(() => received[0]);
  assert.match(received[0]?.body ?? '', /"member_joined_channel".*U0OUTSIDER/);
  await client.conversations.kick({ channel, user: outsider });
  assert.ok(!workspace.see('outsider').channels.some(({ name }) => name === 'ops'));
  await client.conversations.archive({ channel });
  assert.equal(await refusalOf(client.chat.postMessage({ channel, text: 'x' })), 'is_archived');
  await client.conversations.unarchive({ channel });
  await client.conversations.leave({ channel });
  assert.equal(await refusalOf(client.chat.postMessage({ channel, text: 'x' })), 'not_in_channel');
  await client.conversations.join({ channel });
  assert.equal(await refusalOf(client.chat.postMessage({ channel, text: 'x' })), 'ok');
  const made = await client.conversations.create({ name: 'fresh' });
  assert.equal(workspace.channel('fresh').id, made.channel?.id);
});

test('ids and texts of people are returned unchanged', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const channel = workspace.channel('ops').id;
  assert.equal(channel, 'C0OPS');
  const text = 'see U0ADMIN and U000000001, C000000001, T000000001 at 1712345678.000100';
  const { ts = '' } = await client.chat.postMessage({ channel, text });
  const [stored] = (await client.conversations.history({ channel })).messages ?? [];
  assert.deepEqual([stored?.text, stored?.ts], [text, ts]);
});
