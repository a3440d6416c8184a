import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf } from '../../refusal-of.ts';
import { startEndpoint, startWorkspace } from '../../start-lab.ts';

test('a status is shown for two minutes, or until the app posts in the thread', async (t) => {
  const { workspace, client, clock } = await startWorkspace(t);
  const said = await workspace.say('requester', 'ops', 'hi');
  const status = { channel_id: said.channel, thread_ts: said.ts, status: 'is thinking…' };
  await client.assistant.threads.setStatus(status);
  assert.equal(workspace.see('approver').statuses[0]?.status, 'is thinking…');
  assert.deepEqual(workspace.see('outsider').statuses, []);
  clock.advance(120_000);
  assert.deepEqual(workspace.see('approver').statuses, []);
  await client.assistant.threads.setStatus(status);
  await client.chat.postMessage({ channel: said.channel, thread_ts: said.ts, text: 'done' });
  assert.deepEqual(workspace.see('approver').statuses, []);
});

test('a stream grows, and ends after five minutes even if text is appended', async (t) => {
  const { workspace, client, clock } = await startWorkspace(t);
  await startEndpoint(workspace, () => ({ status: 200 }));
  const said = await workspace.say('requester', 'ops', 'hi');
  const to = { channel: said.channel, thread_ts: said.ts };
  assert.equal(await refusalOf(client.chat.startStream(to)), 'missing_recipient_team_id');
  const recipient = { recipient_team_id: workspace.team.id, recipient_user_id: said.user ?? '' };
  const started = await client.chat.startStream({ ...to, ...recipient, markdown_text: 'One ' });
  const stream = { channel: said.channel, ts: started.ts ?? '' };
  await client.chat.appendStream({ ...stream, markdown_text: 'two ' });
  const answer = () => workspace.see('requester').messages.find(({ ts }) => ts === stream.ts);
  assert.deepEqual([answer()?.text, answer()?.streaming], ['One two ', true]);
  assert.equal(
    await refusalOf(client.chat.appendStream({ ...stream, markdown_text: 'x'.repeat(12_001) })),
    'msg_too_long',
  );
  await client.chat.stopStream({
    ...stream,
    markdown_text: '**three**',
    blocks: [{ type: 'divider' }],
  });
  assert.deepEqual([answer()?.text, answer()?.streaming], ['One two **three**', false]);
  assert.deepEqual(
    answer()?.blocks.map(({ type }) => type),
    ['markdown', 'divider'],
  );
  assert.equal(
    await refusalOf(client.chat.appendStream({ ...stream, markdown_text: 'x' })),
    'message_not_in_streaming_state',
  );
  const second = await client.chat.startStream({ ...to, ...recipient });
  const late = { channel: said.channel, ts: second.ts ?? '' };
  clock.advance(299_999);
  await client.chat.appendStream({ ...late, markdown_text: 'in time' });
  clock.advance(1);
  assert.equal(await refusalOf(client.chat.stopStream(late)), 'message_not_in_streaming_state');
});

test('tasks of a stream are shown as a plan, and block chunks at the end', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const dm = await workspace.directMessage('requester');
  const said = await workspace.say('requester', dm.id, 'hi');
  const { ts = '' } = await client.chat.startStream({
    channel: dm.id,
    thread_ts: said.ts,
    chunks: [
      { type: 'plan_update', title: 'Steps' },
      { type: 'task_update', id: '1', title: 'Look', status: 'in_progress' },
      { type: 'markdown_text', text: 'Looking' },
    ],
  });
  await client.chat.appendStream({
    channel: dm.id,
    ts,
    chunks: [{ type: 'task_update', id: '1', title: 'Look', status: 'complete' }],
  });
  const message = workspace.see('requester').messages.find((one) => one.ts === ts);
  const [plan, text] = message?.blocks ?? [];
  assert.deepEqual(
    plan?.type === 'plan' ? [plan.title, plan.tasks?.map(({ status }) => status)] : [],
    ['Steps', ['complete']],
  );
  assert.equal(text?.type === 'markdown' ? text.text : '', 'Looking');
  assert.equal(
    await refusalOf(
      client.chat.appendStream({ channel: dm.id, ts, chunks: [{ type: 'odd' } as never] }),
    ),
    'invalid_chunks',
  );
});
