/** Sessions of the simulated workspace, as documented at https://docs.slack.dev/ai/agent-sessions */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf } from '../../refusal-of.ts';
import { startApp } from '../../start-app.ts';
import { startWorkspace } from '../../start-lab.ts';

async function startThread(t: Parameters<typeof startWorkspace>[0], form?: 'assistant') {
  const lab = await startWorkspace(t, form === undefined ? {} : { form });
  const { workspace } = lab;
  const channel = workspace.channel('general').id;
  const { ts } = await workspace.say('requester', channel, 'Hello');
  const place = { channel_id: channel, thread_ts: ts };
  const session = () => workspace.see('requester').sessions[0];
  return { ...lab, channel, ts, place, session };
}

test('a session has a status, and a title that can be changed', async (t) => {
  const { client, place, session } = await startThread(t);
  const { sessions } = client.agents;
  assert.equal(await refusalOf(sessions.rename({ ...place, title: 'x' })), 'session_not_found');
  await sessions.setStatus({ ...place, status: 'processing', title: 'Say: hello' });
  assert.equal(session()?.title, 'Say_ hello');
  await sessions.setStatus({ ...place, status: 'suspended', title: 'Another' });
  assert.deepEqual([session()?.status, session()?.title], ['suspended', 'Say_ hello']);
  await sessions.rename({ ...place, title: 'Greeting' });
  assert.equal(session()?.title, 'Greeting');
  const wrong = { ...place, status: 'asleep' as 'active' };
  assert.equal(await refusalOf(sessions.setStatus(wrong)), 'invalid_status');
  const bare = { channel_id: place.channel_id, status: 'active' as const };
  assert.equal(await refusalOf(sessions.setStatus(bare)), 'thread_ts_required');
});

test('the status processing expires an hour after it was last set', async (t) => {
  const { client, clock, place, session } = await startThread(t);
  const set = () => client.agents.sessions.setStatus({ ...place, status: 'processing' });
  await set();
  clock.advance(3_599_000);
  await set();
  clock.advance(3_599_000);
  assert.equal(session()?.status, 'processing');
  clock.advance(1_000);
  assert.equal(session()?.status, 'active');
});

test('a stream creates a session, and its stop sets the status', async (t) => {
  const { channel, client, session, ts, workspace } = await startThread(t);
  const team = { recipient_team_id: workspace.team.id, recipient_user_id: 'U0REQUESTER' };
  const start = () => client.chat.startStream({ channel, thread_ts: ts, ...team });
  const first = await start();
  assert.equal(session()?.status, 'processing');
  await client.chat.stopStream({ channel, ts: first.ts ?? '', session_status: 'suspended' });
  assert.equal(session()?.status, 'suspended');
  const second = await start();
  await client.chat.stopStream({ channel, ts: second.ts ?? '' });
  assert.equal(session()?.status, 'active');
});

test('a stop by a person ends the streams of the thread, tells the app, and leaves the status to the app', async (t) => {
  const { channel, client, place, session, ts, workspace } = await startThread(t);
  const events: object[] = [];
  await startApp(workspace, 'http', (app) => {
    app.event('agent_session_stopped', async ({ event }) => void events.push(event));
  });
  await assert.rejects(workspace.stopSession('requester', channel, ts), /sees no stop button/);
  const team = { recipient_team_id: workspace.team.id, recipient_user_id: 'U0REQUESTER' };
  const stream = await client.chat.startStream({ channel, thread_ts: ts, ...team });
  await workspace.stopSession('requester', channel, ts);
  await workspace.waitFor(() => (events.length > 0 ? true : undefined));
  const { streaming_message_ts: ended, user } = events[0] as Record<string, unknown>;
  assert.deepEqual([ended, user], [[stream.ts], 'U0REQUESTER']);
  const more = { channel, ts: stream.ts ?? '', markdown_text: 'more' };
  assert.equal(await refusalOf(client.chat.appendStream(more)), 'stopped_by_user');
  assert.equal(session()?.status, 'processing');
  await client.agents.sessions.setStatus({ ...place, status: 'active' });
  assert.equal(session()?.status, 'active');
});

test('an app of the older form has no sessions, and can set prompts only in a thread', async (t) => {
  const { client, place } = await startThread(t, 'assistant');
  const set = client.agents.sessions.setStatus({ ...place, status: 'active' });
  assert.equal(await refusalOf(set), 'feature_disabled');
  const offered = client.assistant.threads.setSuggestedPrompts({
    channel_id: place.channel_id,
    prompts: [{ title: 'a', message: 'b' }],
  });
  assert.equal(await refusalOf(offered), 'invalid_thread_ts');
});
