/** The Messages tab and the older assistant pane on the simulated workspace. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it, test } from 'node:test';
import { WebClient } from '@slack/web-api';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import type { ApiFault } from '../../../src/playground/workspace/workspace-port.ts';
import { createAssistantPane } from '../../../src/slack/assistant/create-assistant.ts';
import { parseInbound } from '../../../src/slack/inbound/parse-inbound.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { until } from '../../support/until.ts';
import { type Delivery, type SlackStage, setSlackStage } from '../support/slack-stage.ts';

for (const delivery of ['http', 'socket'] as const) pane(delivery);

function pane(delivery: Delivery): void {
  describe(`the assistant pane over ${delivery}`, () => {
    let stage: SlackStage;
    before(async () => {
      stage = await setSlackStage(delivery, { form: 'assistant' });
    });
    after(() => stage.close());
    beforeEach(() => {
      stage.workspace.faults.clear();
      stage.desk.inThread = false;
      stage.logged.length = 0;
    });

    const fail = (method: string, fault: ApiFault) => stage.workspace.faults.api(method, fault);
    const open = () => stage.workspace.openAssistant('requester');
    const waitFor = <T>(probe: () => T | undefined) =>
      stage.workspace.waitFor(probe, { describe: () => stage.logged.join('\n') });
    const inThread = (threadTs: string) =>
      stage.workspace.see('requester').messages.filter((each) => each.threadTs === threadTs);
    const chat = (threadTs: string) =>
      stage.workspace.see('requester').sessions.find((each) => each.threadTs === threadTs);
    const prompts = (threadTs: string) =>
      waitFor(
        () =>
          stage.workspace.see('requester').prompts.find((each) => each.threadTs === threadTs)
            ?.prompts,
      );
    const say = (channel: string, threadTs: string, text: string) =>
      stage.workspace.say('requester', channel, text, { threadTs });

    it('greets a person who opens it, and suggests prompts that fit the tools', async () => {
      const { threadTs } = await open();
      const offered = await prompts(threadTs);
      assert.deepEqual(
        offered.map(({ title }) => title),
        ['What can you do?', 'Write a file'],
      );
      const [hello, ...more] = inThread(threadTs);
      assert.deepEqual(more, []);
      assert.match(
        JSON.stringify(hello?.blocks),
        /an AI agent.*Before I do anything risky, I post a card/,
      );
      assert.deepEqual(stage.logged, []);
    });

    it('accepts messages as elsewhere, and names the chat after the first message', async () => {
      const { channel, threadTs } = await open();
      await prompts(threadTs);
      const { ts } = await say(channel, threadTs, 'Write <b> to a.txt\nplease');
      assert.equal(stage.desk.received.at(-1)?.ts, ts);
      await waitFor(() => (chat(threadTs)?.title ? true : undefined));
      assert.equal(chat(threadTs)?.title, 'Write &lt;b&gt; to a.txt');
      stage.desk.inThread = true;
      await say(channel, threadTs, 'And b.txt');
      stage.desk.inThread = false;
      const other = await open();
      await say(other.channel, other.threadTs, 'Another');
      await waitFor(() => (chat(other.threadTs)?.title ? true : undefined));
      assert.equal(chat(threadTs)?.title, 'Write &lt;b&gt; to a.txt');
    });

    it('sets no title for a thread in a channel', async () => {
      const { id } = stage.workspace.channel('general');
      await stage.workspace.say('requester', id, `\${bot} hello`);
      const { channel, threadTs } = await open();
      await say(channel, threadTs, 'hello directly');
      await waitFor(() => chat(threadTs)?.title);
      const titled = stage.workspace.journal.filter(({ name }) => name.endsWith('setTitle'));
      assert.ok(!JSON.stringify(titled).includes(id));
    });

    it('continues when Slack fails: sends the rest, and logs what failed', async () => {
      fail('chat.postMessage', { kind: 'error', error: 'internal_error' });
      const { channel, threadTs } = await open();
      await prompts(threadTs);
      fail('assistant.threads.setTitle', { kind: 'error', error: 'invalid_thread_ts' });
      const { ts } = await say(channel, threadTs, 'hello');
      assert.equal(stage.desk.received.at(-1)?.ts, ts);
      await until(() => stage.logged.some((line) => line.includes('could not name the chat')));
      assert.match(stage.logged.join('\n'), /could not greet/);
      assert.deepEqual(
        inThread(threadTs).map(({ text }) => text),
        ['hello'],
      );
    });

    it('shows the status of its threads', async () => {
      const { channel, threadTs } = await open();
      const team = stage.workspace.team.id;
      const working = { session: 'processing', words: 'is thinking…' } as const;
      await stage.chat.setStatus(`${team}/${channel}/${threadTs}` as never, working);
      const { statuses } = stage.workspace.see('requester');
      assert.equal(statuses.find((each) => each.threadTs === threadTs)?.status, 'is thinking…');
    });

    it('ignores events about a changed context', async () => {
      const { channel, threadTs } = await open();
      await prompts(threadTs);
      const before = stage.workspace.journal.filter(({ kind }) => kind === 'api').length;
      const ack = await stage.workspace.deliverEvent({
        type: 'assistant_thread_context_changed',
        assistant_thread: {
          user_id: stage.workspace.member('requester').id,
          context: { channel_id: stage.workspace.channel('general').id },
          channel_id: channel,
          thread_ts: threadTs,
        },
        event_ts: '9.1',
      });
      assert.equal(ack.kind, 'acknowledged');
      const calls = stage.workspace.journal.filter(({ kind }) => kind === 'api').length;
      assert.equal(calls, before);
    });
  });
}

test('a pane is greeted once, even if Slack repeats the event', async () => {
  const stage = await setSlackStage('http', { form: 'assistant' });
  const { workspace } = stage;
  workspace.faults.deliverEvents(3);
  await workspace.openAssistant('requester');
  const started = workspace.journal.find(({ name }) => name === 'assistant_thread_started');
  assert.ok(started);
  const { event } = started.request as { event: Record<string, unknown> };
  await Promise.all([workspace.deliverEvent(event), workspace.deliverEvent(event)]);
  // The app finishes its open work before it stops.
  await stage.close();
  const posts = workspace.journal.filter(({ name }) => name === 'chat.postMessage');
  assert.equal(posts.length, 1);
});

test('a pane that an earlier process greeted is not greeted again', async () => {
  const stage = await setSlackStage('http', { form: 'assistant' });
  const { workspace } = stage;
  await workspace.openAssistant('requester');
  await workspace.waitFor(() =>
    workspace.see('requester').prompts.find(({ prompts }) => prompts.length > 0),
  );
  const started = workspace.journal.find(({ name }) => name === 'assistant_thread_started');
  await greetInAnotherProcess(stage, started?.request);
  await stage.close();
  const looked = workspace.journal.filter(({ name }) => name === 'conversations.replies');
  assert.equal(looked.length, 1);
  const posts = workspace.journal.filter(({ name }) => name === 'chat.postMessage');
  assert.equal(posts.length, 1);
});

/** Greets the chat again in a second pane, as another process would. */
async function greetInAnotherProcess({ workspace, desk }: SlackStage, body: unknown) {
  const client = new WebClient(workspace.botToken, { slackApiUrl: workspace.apiUrl });
  const { team, app } = workspace;
  const identity = { team: team.id, botUserId: app.botUserId, botId: app.botId, appId: app.id };
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const toolbox = buildToolbox([]);
  const pane = createAssistantPane({
    client,
    identity,
    toolbox,
    directory: createTestDirectory(),
    desk,
    log,
  });
  const inbound = parseInbound(body, { identity, now: 0 });
  assert.ok(inbound.kind === 'lifecycle' && inbound.event.kind === 'chat-opened');
  await pane.greetInChat(inbound.event, true);
}

test('strangers get no greeting, nor do events for other workspaces or apps, or malformed ones', async () => {
  const directory = createTestDirectory({ U0STRANGER: { standing: 'stranger' } });
  const stage = await setSlackStage('http', { form: 'assistant', directory });
  const { workspace } = stage;
  const { channel, threadTs } = await workspace.openAssistant('stranger');
  const started = (patch: object) => ({
    type: 'assistant_thread_started',
    assistant_thread: {
      user_id: workspace.member('requester').id,
      context: {},
      channel_id: channel,
      thread_ts: '77.1',
      ...patch,
    },
    event_ts: '9.1',
  });
  const envelopes = [{ authorizations: [{ team_id: 'T0OTHER' }] }, { api_app_id: 'A0OTHER' }];
  for (const envelope of envelopes) {
    assert.equal((await workspace.deliverEvent(started({}), { envelope })).kind, 'acknowledged');
  }
  const malformed = [{ channel_id: '../x' }, { thread_ts: 'x' }, { user_id: undefined }];
  for (const patch of malformed) {
    assert.equal((await workspace.deliverEvent(started(patch))).kind, 'acknowledged');
  }
  directory.failWith(new Error('Slack is away.'));
  await workspace.deliverEvent(started({ thread_ts: '78.1' }));
  // The app finishes its open work before it stops.
  await stage.close();
  const asked = workspace.journal.filter(({ kind }) => kind === 'api').map(({ name }) => name);
  assert.deepEqual(
    asked.filter((name) => /threads|postMessage/.test(name)),
    [],
  );
  assert.ok(threadTs !== '');
  assert.match(stage.logged.join('\n'), /could not find out who opened the app/);
});

test('the Messages tab sets prompts each time it opens, and welcomes each person once', async () => {
  const stage = await setSlackStage('http');
  const { workspace, desk } = stage;
  const { channel } = await workspace.openMessages('requester');
  await workspace.openMessages('requester');
  await workspace.openMessages('approver');
  await until(() => desk.welcomes.length === 2);
  const offered = workspace.see('requester').prompts;
  assert.deepEqual(
    offered.map((each) => [each.channel, each.threadTs, each.prompts.map(({ title }) => title)]),
    [[channel, undefined, ['What can you do?', 'Write a file']]],
  );
  const [first, second] = desk.welcomes;
  assert.deepEqual(first?.person, {
    team: workspace.team.id,
    user: workspace.member('requester').id,
  });
  assert.equal(first?.channel, channel);
  assert.match(first?.text ?? '', /an AI agent.*Before I do anything risky, I post a card/s);
  assert.equal(second?.person.user, workspace.member('approver').id);
  await stage.close();
  const prompted = workspace.journal.filter(({ name }) => name.endsWith('setSuggestedPrompts'));
  assert.equal(prompted.length, 3);
  assert.deepEqual(stage.logged, []);
});

test('an installation of the older form gets no welcome in the Messages tab', async () => {
  const stage = await setSlackStage('http', { form: 'assistant' });
  await stage.workspace.openMessages('requester');
  await until(() => stage.logged.length > 0);
  await stage.close();
  assert.deepEqual(stage.desk.welcomes, []);
  assert.match(stage.logged.join('\n'), /could not suggest messages.*invalid_thread_ts/);
});

test('the Messages tab welcomes no strangers, and ignores events for other workspaces and malformed ones', async () => {
  const directory = createTestDirectory({ U0STRANGER: { standing: 'stranger' } });
  const stage = await setSlackStage('http', { directory });
  const { workspace } = stage;
  await workspace.openMessages('stranger');
  const user = workspace.member('requester').id;
  const opened = {
    type: 'app_home_opened',
    user,
    channel: 'D0X',
    tab: 'messages',
    event_ts: '9.1',
  };
  const elsewhere = { authorizations: [{ team_id: 'T0OTHER' }] };
  await workspace.deliverEvent(opened, { envelope: elsewhere });
  for (const patch of [{ channel: '../x' }, { user: undefined }, { tab: 'about' }]) {
    const ack = await workspace.deliverEvent({ ...opened, ...patch });
    assert.equal(ack.kind, 'acknowledged');
  }
  await stage.close();
  assert.deepEqual(stage.desk.welcomes, []);
  const prompted = workspace.journal.filter(({ name }) => name.endsWith('setSuggestedPrompts'));
  assert.deepEqual(prompted, []);
});
