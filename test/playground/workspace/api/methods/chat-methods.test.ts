import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf } from '../../refusal-of.ts';
import { startWorkspace } from '../../start-lab.ts';

test('the app can post only to channels that it is in', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const post = (channel: string) => refusalOf(client.chat.postMessage({ channel, text: 'x' }));
  assert.equal(await post(workspace.channel('ops').id), 'ok');
  assert.equal(await post(workspace.channel('finance').id), 'not_in_channel');
  assert.equal(await post('C0NOWHERE'), 'channel_not_found');
  assert.equal(await post(workspace.member('guest').id), 'ok');
  assert.equal((await workspace.directMessage('guest')).kind, 'im');
  assert.equal(workspace.see('guest').messages.length, 1);
  assert.equal(
    await refusalOf(client.chat.postMessage({ channel: workspace.channel('ops').id, text: '' })),
    'no_text',
  );
});

test('messages have bot fields, block ids, and metadata on request', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const channel = workspace.channel('ops').id;
  const metadata = { event_type: 'card', event_payload: { ts: '1712345678.000100', id: 'c1' } };
  const root = await client.chat.postMessage({ channel, markdown_text: '**hi**', metadata });
  const ts = root.ts ?? '';
  assert.equal(root.message?.bot_id, workspace.app.botId);
  assert.equal(root.message?.blocks?.[0]?.type, 'markdown');
  assert.ok(root.message?.blocks?.[0]?.block_id);
  await workspace.say('requester', 'ops', 'a reply', { threadTs: ts });
  const plain = await client.conversations.replies({ channel, ts });
  assert.deepEqual(
    plain.messages?.map((one) => one.metadata),
    [undefined, undefined],
  );
  assert.equal(plain.messages?.[1]?.parent_user_id, workspace.app.botUserId);
  const full = await client.conversations.replies({ channel, ts, include_all_metadata: true });
  assert.deepEqual(full.messages?.[0]?.metadata, metadata);
  assert.equal(full.messages?.[0]?.reply_count, 1);
  const history = await client.conversations.history({ channel, include_all_metadata: true });
  assert.deepEqual(
    history.messages?.map((one) => one.ts),
    [ts],
  );
  assert.equal(
    await refusalOf(client.conversations.replies({ channel, ts: '1.000001' })),
    'thread_not_found',
  );
});

test('an update with only text removes the blocks, one without text keeps the text', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const channel = workspace.channel('ops').id;
  const blocks = [{ type: 'divider' }];
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'a', blocks });
  await client.chat.update({
    channel,
    ts,
    text: 'a',
    blocks: [{ type: 'divider' }, { type: 'divider' }],
  });
  assert.equal(workspace.see('admin').messages[0]?.blocks.length, 2);
  await client.chat.update({ channel, ts, text: 'b' });
  const [seen] = workspace.see('admin').messages;
  assert.deepEqual([seen?.text, seen?.blocks.length, seen?.editedTs !== undefined], ['b', 0, true]);
  const said = await workspace.say('requester', 'ops', 'mine');
  assert.equal(
    await refusalOf(client.chat.update({ channel, ts: said.ts, text: 'x' })),
    'cant_update_message',
  );
  assert.equal(
    await refusalOf(client.chat.update({ channel, ts: '1.000001', text: 'x' })),
    'message_not_found',
  );
  await client.chat.delete({ channel, ts });
  assert.deepEqual(
    workspace.see('admin').messages.map(({ text }) => text),
    ['mine'],
  );
});

test('an ephemeral message is visible to one person', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const channel = workspace.channel('ops').id;
  const user = workspace.member('requester').id;
  await client.chat.postEphemeral({ channel, user, text: 'psst' });
  assert.deepEqual(
    workspace.see('requester').messages.map(({ text }) => text),
    ['psst'],
  );
  assert.deepEqual(workspace.see('approver').messages, []);
  assert.deepEqual((await client.conversations.history({ channel })).messages, []);
  assert.equal(
    await refusalOf(
      client.chat.postEphemeral({ channel, user: workspace.member('outsider').id, text: 'x' }),
    ),
    'user_not_in_channel',
  );
});

test('the app can react and upload files', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const said = await workspace.say('requester', 'ops', 'hi');
  const channel = said.channel;
  await client.reactions.add({ channel, timestamp: said.ts, name: 'eyes' });
  assert.deepEqual(workspace.see('approver').messages[0]?.reactions, [
    { name: 'eyes', users: [workspace.app.botUserId] },
  ]);
  await client.filesUploadV2({
    channel_id: channel,
    thread_ts: said.ts,
    filename: 'full.txt',
    content: 'the whole text',
    initial_comment: 'All of it',
  });
  const file = workspace.see('approver').messages.find(({ files }) => files.length > 0);
  assert.deepEqual(
    [file?.text, file?.threadTs, file?.files[0]?.name],
    ['All of it', said.ts, 'full.txt'],
  );
  assert.equal(file?.botId, workspace.app.botId);
});

test('permalinks lead to the workspace', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const said = await workspace.say('requester', 'ops', 'hi');
  const link = await client.chat.getPermalink({ channel: said.channel, message_ts: said.ts });
  assert.equal(link.permalink, `${workspace.url}/archives/C0OPS/p${said.ts.replace('.', '')}`);
});
