import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { startApp } from './start-app.ts';
import { startWorkspace } from './start-lab.ts';

const CARD = [
  { type: 'section', text: { type: 'mrkdwn', text: '*Send* the e-mail?' } },
  {
    type: 'actions',
    block_id: 'card',
    elements: [
      {
        type: 'button',
        action_id: 'approve',
        value: 'call-1',
        text: { type: 'plain_text', text: 'Approve' },
      },
      { type: 'button', action_id: 'edit', text: { type: 'plain_text', text: 'Edit' } },
    ],
  },
] as const;

const MODAL: ModalView = {
  type: 'modal',
  callback_id: 'edit.submit',
  title: { type: 'plain_text', text: 'Edit' },
  submit: { type: 'plain_text', text: 'Save' },
  private_metadata: 'call-1',
  blocks: [
    {
      type: 'input',
      block_id: 'subject',
      label: { type: 'plain_text', text: 'Subject' },
      element: { type: 'plain_text_input', action_id: 'value', initial_value: 'Hello' },
    },
    {
      type: 'input',
      block_id: 'note',
      optional: true,
      label: { type: 'plain_text', text: 'Note' },
      element: { type: 'plain_text_input', action_id: 'value' },
    },
  ],
};

function approvals(app: App, seen: string[]): void {
  app.event('app_mention', async ({ event, client }) => {
    seen.push(`mention ${event.text}`);
    await client.chat.postMessage({
      channel: event.channel,
      thread_ts: event.ts,
      text: 'Approval wanted',
      blocks: [...CARD],
    });
  });
  app.message(async ({ message }) => {
    seen.push(`message ${message.channel_type} ${'text' in message ? message.text : ''}`);
  });
  app.action('approve', async ({ ack, respond }) => {
    await ack();
    await respond({ replace_original: true, text: 'Approved.' });
  });
  app.action('edit', async ({ ack, body, client }) => {
    await ack();
    const trigger = 'trigger_id' in body ? body.trigger_id : '';
    await client.views.open({ trigger_id: trigger, view: MODAL });
  });
  app.view('edit.submit', async ({ ack, view }) => {
    const subject = view.state.values.subject?.value?.value;
    seen.push(`submit ${JSON.stringify(view.state.values)}`);
    if (subject === 'bad') {
      await ack({ response_action: 'errors', errors: { subject: 'Not that one.' } });
    } else {
      await ack();
    }
  });
}

for (const transport of ['http', 'socket'] as const) {
  test(`a mention leads to a card, a modal and a verdict over ${transport}`, async (t) => {
    const { workspace } = await startWorkspace(t);
    const seen: string[] = [];
    await startApp(workspace, transport, (app) => approvals(app, seen));

    const asked = await workspace.say('requester', 'general', '$' + '{bot} send <it> & go');
    const card = await workspace.waitFor(() =>
      workspace.see('approver').messages.find((message) => message.threadTs === asked.ts),
    );
    assert.equal(card.botId, workspace.app.botId);
    assert.deepEqual(
      new Set(seen),
      new Set([
        `mention <@${workspace.app.botUserId}> send &lt;it&gt; &amp; go`,
        `message channel <@${workspace.app.botUserId}> send &lt;it&gt; &amp; go`,
      ]),
    );

    await workspace.click('approver', { channel: 'general', ts: card.ts, actionId: 'edit' });
    await workspace.waitFor(() => workspace.see('approver').views[0]);
    assert.equal(workspace.see('requester').views.length, 0);

    await workspace.submit('approver', { subject: 'bad' });
    assert.deepEqual(workspace.see('approver').views[0]?.errors, { subject: 'Not that one.' });
    assert.equal(
      seen.at(-1),
      'submit {"subject":{"value":{"type":"plain_text_input","value":"bad"}},' +
        '"note":{"value":{"type":"plain_text_input","value":null}}}',
    );
    await workspace.submit('approver', { subject: 'Good' });
    assert.equal(workspace.see('approver').views.length, 0);

    const ack = await workspace.click('approver', {
      channel: 'general',
      ts: card.ts,
      actionId: 'approve',
    });
    assert.equal(ack.kind, 'acknowledged');
    await workspace.waitFor(() =>
      workspace.see('requester').messages.find(({ text }) => text === 'Approved.'),
    );
    assert.deepEqual(
      workspace.journal.filter(({ problem }) => problem !== undefined),
      [],
    );
  });

  test(`a direct message sends one message event over ${transport}`, async (t) => {
    const { workspace } = await startWorkspace(t);
    const seen: string[] = [];
    await startApp(workspace, transport, (app) => approvals(app, seen));
    const dm = await workspace.directMessage('requester');
    await workspace.say('requester', dm.id, 'hello');
    await workspace.waitFor(() => seen[0]);
    assert.deepEqual(seen, ['message im hello']);
    assert.ok(!workspace.see('approver').channels.some(({ id }) => id === dm.id));
  });
}
