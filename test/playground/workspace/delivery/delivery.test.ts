import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { startApp } from '../start-app.ts';
import { type Received, startEndpoint, startWorkspace } from '../start-lab.ts';

const BOT = '$' + '{bot}';

function parse(
  one: Received | undefined,
): Record<string, unknown> & { event: Record<string, unknown> } {
  return JSON.parse(one?.body ?? '{}');
}

const textOf = (message: unknown) => (message as { text?: string } | undefined)?.text;

test('a delivery has Slack’s signature, envelope and event fields', async (t) => {
  const { workspace, clock } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  const said = await workspace.say('requester', 'general', `${BOT} hi`);
  const [first] = received;
  const seconds = String(first?.headers['x-slack-request-timestamp']);
  assert.equal(seconds, String(Math.floor(clock.now() / 1000)));
  assert.equal(
    first?.headers['x-slack-signature'],
    `v0=${createHmac('sha256', workspace.signingSecret).update(`v0:${seconds}:${first?.body}`).digest('hex')}`,
  );
  assert.equal(first?.headers['x-slack-retry-num'], undefined);
  const payloads = received.map(parse);
  const mention = payloads.find(({ event }) => event.type === 'app_mention');
  const message = payloads.find(({ event }) => event.type === 'message');
  assert.equal(payloads.length, 2);
  assert.notEqual(mention?.event_id, message?.event_id);
  assert.equal(mention?.event.ts, said.ts);
  assert.equal(message?.event.channel_type, 'channel');
  assert.equal(message?.event.event_ts, said.ts);
  assert.equal(message?.event.team, workspace.team.id);
  assert.equal(message?.api_app_id, workspace.app.id);
  assert.equal(message?.type, 'event_callback');
  assert.equal(Array.isArray(message?.authorizations), true);
});

test('a refused event is retried at once, after a minute and after five more, marked as a retry', async (t) => {
  const { workspace, clock } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 500 }));
  await workspace.say('requester', 'general', 'hi');
  const marks = () => received.map(({ headers }) => headers['x-slack-retry-num']);
  assert.deepEqual(marks(), [undefined, '1']);
  clock.advance(59_999);
  assert.equal(received.length, 2);
  clock.advance(1);
  await workspace.waitFor(() => (received.length === 3 ? true : undefined));
  await workspace.waitFor(() => (workspace.journal.at(-1)?.ok === false ? true : undefined));
  clock.advance(300_000);
  await workspace.waitFor(() => (received.length === 4 ? true : undefined));
  assert.deepEqual(marks(), [undefined, '1', '2', '3']);
  assert.equal(received[3]?.headers['x-slack-retry-reason'], 'http_error');
  assert.equal(new Set(received.map((one) => parse(one).event_id)).size, 1);
});

test('an event without a response is retried after three seconds', async (t) => {
  const { workspace, clock } = await startWorkspace(t);
  const received = await startEndpoint(workspace, (_one, count) =>
    count === 1 ? undefined : { status: 200 },
  );
  const said = workspace.say('requester', 'general', 'hi');
  await workspace.waitFor(() =>
    workspace.journal.some(({ kind }) => kind === 'event') ? true : undefined,
  );
  while (received.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  clock.advance(3_000);
  await said;
  assert.equal(received[1]?.headers['x-slack-retry-reason'], 'http_timeout');
});

test('a click without a response within three seconds shows a toast', async (t) => {
  const { workspace, clock, client } = await startWorkspace(t);
  const received = await startEndpoint(workspace, (one) =>
    one.body.startsWith('payload=') ? undefined : { status: 200 },
  );
  const posted = await client.chat.postMessage({
    channel: workspace.channel('general').id,
    text: 'card',
    blocks: [
      {
        type: 'actions',
        elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }],
      },
    ],
  });
  const click = workspace.click('guest', {
    channel: 'general',
    ts: posted.ts ?? '',
    actionId: 'go',
  });
  while (!received.some(({ body }) => body.startsWith('payload='))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  clock.advance(3_000);
  assert.deepEqual(await click, { kind: 'unanswered' });
  assert.match(workspace.see('guest').toasts[0]?.text ?? '', /isn't responding/);
  assert.deepEqual(workspace.see('admin').toasts, []);
});

test('an invisible element cannot be clicked', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  await startEndpoint(workspace, () => ({ status: 200 }));
  const posted = await client.chat.postMessage({ channel: workspace.channel('ops').id, text: 'x' });
  const target = { channel: 'ops', ts: posted.ts ?? '', actionId: 'go' };
  await assert.rejects(workspace.click('approver', target), /No element with the action id "go"/);
  await assert.rejects(workspace.click('outsider', target), /outsider sees no message/);
});

test('edits and deletions arrive as changes with the previous message', async (t) => {
  const { workspace } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  const said = await workspace.say('requester', 'ops', 'before');
  await workspace.edit('requester', 'ops', said.ts, 'after');
  await workspace.remove('requester', 'ops', said.ts);
  const [, changed, deleted] = received.map((one) => parse(one).event);
  assert.equal(changed?.subtype, 'message_changed');
  assert.equal(textOf(changed?.message), 'after');
  assert.equal(textOf(changed?.previous_message), 'before');
  assert.equal(deleted?.subtype, 'message_deleted');
  assert.equal(deleted?.deleted_ts, said.ts);
  assert.equal(workspace.see('requester').messages.length, 0);
  await assert.rejects(workspace.edit('approver', 'ops', said.ts, 'x'), /has no message/);
});

test('the app gets its own posts back, with its bot id and no subtype', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  await client.chat.postMessage({ channel: workspace.channel('ops').id, text: 'mine' });
  await workspace.waitFor(() => received[0]);
  const { event } = parse(received[0]);
  assert.equal(event.bot_id, workspace.app.botId);
  assert.equal(event.app_id, workspace.app.id);
  assert.equal(event.user, workspace.app.botUserId);
  assert.equal(event.subtype, undefined);
});

test('in a shared channel the event names the author’s workspace', async (t) => {
  const { workspace } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  await workspace.say('stranger', 'shared', 'hi');
  await workspace.say('requester', 'shared', 'hi');
  await workspace.say('requester', 'ops', 'hi');
  const teams = received.map((one) => parse(one).event.user_team);
  assert.deepEqual(teams, ['T0OTHER', workspace.team.id, undefined]);
});

test('channels without the app send it no events', async (t) => {
  const { workspace } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  await workspace.say('requester', 'finance', `${BOT} hi`);
  assert.equal(received.length, 0);
  await workspace.join('countersign', 'finance');
  await workspace.say('requester', 'finance', 'hi');
  const types = received.map((one) => [parse(one).event.type, parse(one).event.channel_type]);
  assert.deepEqual(types, [
    ['member_joined_channel', 'G'],
    ['message', 'group'],
  ]);
});

test('events are delivered as often as the fault says, under one event id', async (t) => {
  const { workspace } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  workspace.faults.deliverEvents(3);
  await workspace.say('requester', 'ops', 'hi');
  assert.equal(received.length, 3);
  assert.equal(new Set(received.map((one) => parse(one).event_id)).size, 1);
  assert.deepEqual(
    received.map(({ headers }) => headers['x-slack-retry-num']),
    [undefined, '1', '2'],
  );
});

test('held events wait for their release', async (t) => {
  const { workspace } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  const hold = workspace.faults.holdEvents();
  await workspace.say('requester', 'ops', 'one');
  await workspace.say('requester', 'ops', 'two');
  assert.equal(received.length, 0);
  await hold.release();
  assert.deepEqual(new Set(received.map((one) => parse(one).event.text)), new Set(['one', 'two']));
});

test('a hand-made event keeps its own envelope fields and its retry mark', async (t) => {
  const { workspace } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  const ack = await workspace.deliverEvent(
    { type: 'message', subtype: 'bot_message', bot_id: 'B0OTHER', text: 'x' },
    { envelope: { team_id: 'T0OTHER', event_id: 'Ev1' }, retryNum: 2, retryReason: 'http_timeout' },
  );
  assert.equal(ack.kind, 'acknowledged');
  assert.equal(parse(received[0]).team_id, 'T0OTHER');
  assert.equal(parse(received[0]).event_id, 'Ev1');
  assert.equal(received[0]?.headers['x-slack-retry-num'], '2');
});

test('files arrive as a file_share whose bytes only the bot can fetch', async (t) => {
  const { workspace } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  const said = await workspace.say('requester', 'ops', 'see', {
    files: [{ name: 'a.csv', content: 'x;y\n', mimetype: 'text/csv' }],
  });
  const { event } = parse(received[0]);
  assert.equal(event.subtype, 'file_share');
  const [file] = event.files as { url_private: string; mimetype: string }[];
  assert.equal(file?.mimetype, 'text/csv');
  assert.ok(file?.url_private.startsWith(workspace.url));
  const headers = { authorization: `Bearer ${workspace.botToken}` };
  assert.equal(await (await fetch(file?.url_private ?? '', { headers })).text(), 'x;y\n');
  assert.equal((await fetch(file?.url_private ?? '')).status, 401);
  assert.deepEqual(
    said.files.map(({ name, size }) => ({ name, size })),
    [{ name: 'a.csv', size: 4 }],
  );
});

for (const how of ['refresh', 'drop'] as const) {
  test(`after a ${how} of the socket the app reconnects and gets the next events`, async (t) => {
    const { workspace } = await startWorkspace(t);
    const seen: string[] = [];
    await startApp(workspace, 'socket', (app) => {
      app.message(
        async ({ message }) => void seen.push('text' in message ? (message.text ?? '') : ''),
      );
    });
    workspace.faults.disconnectSockets(how);
    await workspace.connected();
    await workspace.say('requester', 'ops', 'still there?');
    await workspace.waitFor(() => seen[0]);
    assert.deepEqual(seen, ['still there?']);
    assert.equal(workspace.journal.filter(({ name }) => name === 'hello').length, 2);
  });
}

test('only a fresh ticket opens a socket', async (t) => {
  const { workspace } = await startWorkspace(t);
  const socket = new WebSocket(`${workspace.url.replace('http', 'ws')}/link?ticket=guessed`);
  const [error] = await once(socket, 'error');
  assert.match(String(error), /401/);
  assert.equal(
    workspace.journal.some(({ name }) => name === 'hello'),
    false,
  );
});
