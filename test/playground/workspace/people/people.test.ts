import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Assistant } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import { startApp } from '../start-app.ts';
import { startEndpoint, startWorkspace } from '../start-lab.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const option = (value: string) => ({ text: plain(value), value });

const CARD = [
  {
    type: 'actions',
    block_id: 'row',
    elements: [
      {
        type: 'button',
        action_id: 'go',
        value: 'v1',
        text: plain('Go'),
        confirm: { text: plain('Sure?') },
      },
      { type: 'overflow', action_id: 'more', options: [option('a'), option('b')] },
      { type: 'static_select', action_id: 'pick', options: [option('x'), option('y')] },
    ],
  },
] as KnownBlock[];

/** A card in #ops and the interactions that its clicks send. */
async function startCard(t: TestContext) {
  const { workspace, client, clock } = await startWorkspace(t);
  const received = await startEndpoint(workspace, () => ({ status: 200 }));
  const channel = workspace.channel('ops').id;
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'card', blocks: CARD });
  const last = () => JSON.parse(new URLSearchParams(received.at(-1)?.body).get('payload') ?? '{}');
  return { workspace, client, clock, channel, ts, last };
}

test('a click sends the element of the stored message and the person', async (t) => {
  const { workspace, channel, ts, last } = await startCard(t);
  await workspace.click('approver', { channel, ts, actionId: 'go' });
  const { actions, user, container, message, team, state } = last();
  assert.deepEqual(
    { ...actions[0], action_ts: '' },
    {
      action_id: 'go',
      block_id: 'row',
      action_ts: '',
      confirm: { text: plain('Sure?') },
      type: 'button',
      text: plain('Go'),
      value: 'v1',
    },
  );
  assert.deepEqual(
    [user.id, user.team_id, team.id],
    ['U0APPROVER', 'T0PLAYGROUND', 'T0PLAYGROUND'],
  );
  assert.deepEqual(container, {
    type: 'message',
    message_ts: ts,
    channel_id: channel,
    is_ephemeral: false,
  });
  assert.equal(message.bot_id, workspace.app.botId);
  assert.deepEqual(state.values, {
    row: { pick: { type: 'static_select', selected_option: null } },
  });
});

test('a click from a screen reaches an element that a change just removed, any other click does not', async (t) => {
  const { workspace, client, channel, ts, last } = await startCard(t);
  for (const text of ['running', 'done']) {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text } }];
    await client.chat.update({ channel, ts, text, blocks });
  }
  const target = { channel, ts, actionId: 'go' };
  await assert.rejects(workspace.click('approver', target), /is visible there/);
  await workspace.click('approver', { ...target, isFromScreen: true });
  assert.equal(last().actions[0].value, 'v1');
  await assert.rejects(
    workspace.click('approver', { ...target, actionId: 'never', isFromScreen: true }),
    /is visible there/,
  );
});

test('menus send the selected option and accept no other', async (t) => {
  const { workspace, channel, ts, last } = await startCard(t);
  await workspace.click('approver', { channel, ts, actionId: 'more', option: 'b' });
  assert.deepEqual(last().actions[0].selected_option, option('b'));
  await workspace.click('approver', { channel, ts, actionId: 'pick', option: 'y' });
  assert.deepEqual(last().actions[0].selected_option, option('y'));
  await assert.rejects(
    workspace.click('approver', { channel, ts, actionId: 'more', option: 'c' }),
    /"c" is not a choice of more; it has a, b/,
  );
});

async function respond(url: string, body: object): Promise<[number, string]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return [response.status, await response.text()];
}

test('a response URL replaces, adds and deletes, at most five times', async (t) => {
  const { workspace, channel, ts, last } = await startCard(t);
  await workspace.click('approver', { channel, ts, actionId: 'go' });
  const url = last().response_url;
  const texts = (name: string) => workspace.see(name).messages.map(({ text }) => text);
  assert.deepEqual(await respond(url, { text: 'for you' }), [200, 'ok']);
  assert.deepEqual(texts('approver'), ['card', 'for you']);
  assert.deepEqual(texts('requester'), ['card']);
  await respond(url, { text: 'for all', response_type: 'in_channel' });
  await respond(url, { text: 'decided', replace_original: true });
  assert.deepEqual(texts('requester'), ['decided', 'for all']);
  const [status, refusal] = await respond(url, { text: 'x', blocks: [{ type: 'nonsense' }] });
  assert.equal(status, 400);
  assert.match(refusal, /invalid_blocks/);
  await respond(url, { delete_original: true });
  assert.deepEqual(texts('requester'), ['for all']);
  assert.deepEqual(await respond(url, { text: 'sixth' }), [404, '{"ok":false,"error":"used_url"}']);
});

test('a response URL expires after half an hour', async (t) => {
  const { workspace, clock, channel, ts, last } = await startCard(t);
  await workspace.click('approver', { channel, ts, actionId: 'go' });
  clock.advance(30 * 60_000);
  assert.equal((await respond(last().response_url, { text: 'late' }))[0], 404);
});

test('an ephemeral message can be clicked by its reader and replaced only by the response URL', async (t) => {
  const { workspace, client, channel, last } = await startCard(t);
  const user = workspace.member('approver').id;
  const { message_ts: ts = '' } = await client.chat.postEphemeral({
    channel,
    user,
    text: 'e',
    blocks: CARD,
  });
  await assert.rejects(
    workspace.click('requester', { channel, ts, actionId: 'go' }),
    /sees no message/,
  );
  await workspace.click('approver', { channel, ts, actionId: 'go' });
  assert.deepEqual([last().container.is_ephemeral, last().message], [true, undefined]);
  await assert.rejects(client.chat.update({ channel, ts, text: 'x' }), /message_not_found/);
  await respond(last().response_url, { text: 'done', replace_original: true });
  assert.deepEqual(
    workspace.see('approver').messages.map(({ text }) => text),
    ['card', 'done'],
  );
});

for (const transport of ['http', 'socket'] as const) {
  test(`the response to a command is private unless it says otherwise, over ${transport}`, async (t) => {
    const { workspace } = await startWorkspace(t);
    await startApp(workspace, transport, (app) => {
      app.command('/countersign', async ({ command, ack }) => {
        await ack(
          command.text === 'loud'
            ? { text: 'for all', response_type: 'in_channel' }
            : `you said ${command.text}`,
        );
      });
    });
    await workspace.command('requester', 'ops', '/countersign', 'a & b');
    assert.deepEqual(
      workspace.see('requester').messages.map(({ text }) => text),
      ['you said a & b'],
    );
    assert.deepEqual(workspace.see('approver').messages, []);
    await workspace.command('requester', 'ops', '/countersign', 'loud');
    assert.deepEqual(
      workspace.see('approver').messages.map(({ text }) => text),
      ['for all'],
    );
    const inThread = await workspace.command('requester', 'ops', '/countersign', 'x', {
      threadTs: '1.1',
    });
    assert.equal(inThread.kind, 'blocked');
  });
}

test('people see only the channels that they are in', async (t) => {
  const { workspace } = await startWorkspace(t);
  await startEndpoint(workspace, () => ({ status: 200 }));
  await workspace.say('approver', 'finance', 'secret');
  assert.deepEqual(
    workspace.see('outsider').channels.map(({ name }) => name),
    ['general'],
  );
  assert.deepEqual(workspace.see('outsider').messages, []);
  assert.equal(workspace.see('requester').messages.length, 1);
  await assert.rejects(workspace.say('outsider', 'ops', 'x'), /outsider is not in ops/);
  assert.throws(() => workspace.member('nobody'), /no member "nobody"; it has requester/);
});

test('waitFor resolves at a change, and its timeout error names what was missing', async (t) => {
  const { workspace } = await startWorkspace(t);
  await startEndpoint(workspace, () => ({ status: 200 }));
  const found = workspace.waitFor(() => workspace.see('admin').messages[0]);
  await workspace.say('requester', 'ops', 'here');
  assert.equal((await found).text, 'here');
  await assert.rejects(
    workspace.waitFor(() => undefined, { timeoutMs: 1, describe: () => 'no card' }),
    /Nothing within 1 ms: no card/,
  );
  const waiting = assert.rejects(
    workspace.waitFor(() => undefined),
    /workspace stopped/,
  );
  await workspace.stop();
  await waiting;
});

test('the assistant pane opens a thread with a title and prompts from the app', async (t) => {
  const { workspace } = await startWorkspace(t, { form: 'assistant' });
  await startApp(workspace, 'http', (app) => {
    app.assistant(
      new Assistant({
        threadStarted: async ({ setSuggestedPrompts, setTitle }) => {
          await setTitle('Help');
          await setSuggestedPrompts({ prompts: [{ title: 'List', message: 'List the files' }] });
        },
        userMessage: async ({ say, setStatus }) => {
          await setStatus('is thinking…');
          await say('Hello.');
        },
      }),
    );
  });
  const thread = await workspace.openAssistant('requester');
  const equipped = await workspace.waitFor(() =>
    workspace.see('requester').prompts.find(({ threadTs }) => threadTs !== undefined),
  );
  assert.deepEqual(equipped, {
    ...thread,
    prompts: [{ title: 'List', message: 'List the files' }],
  });
  assert.deepEqual(workspace.see('requester').sessions, [{ ...thread, title: 'Help' }]);
  assert.deepEqual(workspace.see('approver').sessions, []);
  await workspace.say('requester', thread.channel, 'hi', { threadTs: thread.threadTs });
  await workspace.waitFor(() =>
    workspace.see('requester').messages.find(({ text }) => text === 'Hello.'),
  );
});
