import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { mountPage, type PageOptions } from '../../../src/playground/page-server.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { sampleAnswer, sampleCard, sampleForm, sampleHome } from './sample-blocks.ts';

/** The default options of the page. */
export const PAGE_OPTIONS: PageOptions = {
  scriptedModel: true,
  files: async () => [{ path: 'docs/notes.md', size: 8, text: '# Notes\n' }],
  people: [
    { name: 'requester', note: 'asks the agent' },
    { name: 'approver', note: 'decides' },
    { name: 'outsider', note: 'may not decide' },
    { name: 'admin', note: 'sets routes' },
  ],
  tryOuts: Promise.resolve({
    list: () => [
      { label: 'Change a file', text: 'Fix the deploy day in docs/notes.md' },
      { label: 'Run a command', text: 'How large is the workspace?' },
      { label: 'Five calls at once', text: 'Tidy up the five reports' },
      { label: 'Delegate', text: 'Research our three competitors' },
    ],
    run: async () => ({}),
  }),
};

/** A simulated workspace with its page and a small Bolt app in it. */
export interface TinyPlayground {
  readonly workspace: Workspace;
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the workspace, the page on its port, and an app that answers a mention with a card. */
export async function startTinyPlayground(
  options: PageOptions = PAGE_OPTIONS,
): Promise<TinyPlayground> {
  let mounted = Promise.resolve();
  const workspace: Workspace = await createWorkspace({
    clock: createSystemClock(),
    extraRoutes: (app) => {
      mounted = mountPage(app, () => workspace, options);
    },
  });
  await mounted;
  const receiver = new HTTPReceiver({
    signingSecret: workspace.signingSecret,
    logLevel: LogLevel.ERROR,
  });
  const bolt = new App({
    receiver,
    token: workspace.botToken,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 } },
  });
  listen(bolt);
  const server = createServer(receiver.requestListener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  workspace.deliverTo({ kind: 'http', url: `http://127.0.0.1:${port}/slack/events` });
  return {
    workspace,
    url: workspace.url,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await workspace.stop();
    },
  };
}

function listen(bolt: App): void {
  bolt.event('app_mention', async ({ event, client }) => {
    const thread_ts = event.thread_ts ?? event.ts;
    const { channel } = event;
    await client.chat.postMessage({
      channel,
      thread_ts,
      text: 'A card',
      blocks: [...sampleCard()],
    });
    await client.assistant.threads.setStatus({
      channel_id: channel,
      thread_ts,
      status: 'is waiting for Avery…',
    });
  });
  bolt.action('call.approve', async ({ ack, respond, body }) => {
    await ack();
    const text = `:white_check_mark: Approved by <@${body.user.id}>`;
    await respond({
      replace_original: true,
      text,
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }],
    });
  });
  bolt.action('call.ignore', async ({ ack, body, client }) => {
    await ack();
    const channel = 'channel' in body ? body.channel?.id : undefined;
    const message = 'message' in body ? body.message : undefined;
    await client.chat.postEphemeral({
      channel: channel ?? '',
      user: body.user.id,
      thread_ts: String(message?.thread_ts),
      text: 'Only Avery may decide this call.',
    });
  });
  bolt.action('call.edit', async ({ ack, body, client }) => {
    await ack();
    if (!('trigger_id' in body) || body.trigger_id === undefined) return;
    const view: ModalView = {
      type: 'modal',
      callback_id: 'edit',
      title: { type: 'plain_text', text: 'Edit the arguments' },
      submit: { type: 'plain_text', text: 'Save and approve' },
      close: { type: 'plain_text', text: 'Cancel' },
      blocks: [...sampleForm()],
    };
    await client.views.open({ trigger_id: body.trigger_id, view });
  });
  bolt.view('edit', async ({ ack, view, client, body }) => {
    const path = view.state.values.path?.path?.value ?? '';
    if (path.startsWith('/')) {
      await ack({ response_action: 'errors', errors: { path: 'Must be inside the folder.' } });
      return;
    }
    await ack();
    const lines = view.state.values.lines?.lines?.value;
    const tool = view.state.values.tool?.tool?.selected_option?.value;
    const channel = 'C0GENERAL';
    const text = `<@${body.user.id}> saved *${path}* with ${lines} lines, ${tool}`;
    await client.chat.postMessage({ channel, text });
    await client.chat.postMessage({ channel, text: 'An answer', blocks: [...sampleAnswer()] });
  });
  bolt.action(/^el\./, async ({ ack, body, client }) => {
    await ack();
    const [action] = 'actions' in body ? body.actions : [];
    const text = `Got ${JSON.stringify(action)}`;
    await client.views.publish({
      user_id: body.user.id,
      view: { type: 'home', blocks: [...sampleHome(text)] },
    });
  });
  bolt.options('tool', async ({ ack, options }) => {
    const text = `tool-${options.value}`;
    await ack({ options: [{ text: { type: 'plain_text', text }, value: text }] });
  });
  bolt.command('/countersign', async ({ ack, command }) => {
    await ack({ response_type: 'ephemeral', text: `You ran it with "${command.text}".` });
  });
  bolt.event('app_home_opened', async ({ event, client }) => {
    await client.views.publish({
      user_id: event.user,
      view: { type: 'home', blocks: [...sampleHome()] },
    });
  });
}
