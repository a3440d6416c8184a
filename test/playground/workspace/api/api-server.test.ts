import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebClient } from '@slack/web-api';
import { refusalOf } from '../refusal-of.ts';
import { clientOptions, startWorkspace } from '../start-lab.ts';

test('tokens are checked for their kind', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const options = clientOptions(workspace);
  assert.equal(await refusalOf(new WebClient('xoxb-wrong', options).auth.test()), 'invalid_auth');
  assert.equal(await refusalOf(new WebClient(undefined, options).auth.test()), 'not_authed');
  assert.equal(await refusalOf(client.apps.connections.open({})), 'not_allowed_token_type');
  const app = new WebClient(workspace.appToken, options);
  assert.match((await app.apps.connections.open({})).url ?? '', /^ws:\/\/127\.0\.0\.1/);
  assert.equal((await client.auth.test()).user_id, workspace.app.botUserId);
});

test('JSON and form bodies are equivalent, and unknown methods are reported by name', async (t) => {
  const { workspace } = await startWorkspace(t);
  const response = await fetch(`${workspace.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${workspace.botToken}`,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify({ channel: workspace.channel('ops').id, text: 'json' }),
  });
  const body = (await response.json()) as { ok: boolean; message: { text: string } };
  assert.equal(body.message.text, 'json');
  const form = await fetch(`${workspace.apiUrl}no.such`, {
    method: 'POST',
    body: new URLSearchParams({ token: workspace.botToken }),
  });
  assert.equal(((await form.json()) as { error: string }).error, 'unknown_method');
});

test('a fault affects the set number of calls of its method', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const channel = workspace.channel('ops').id;
  const post = (text: string) => refusalOf(client.chat.postMessage({ channel, text }));
  workspace.faults.api('chat.postMessage', { kind: 'rate-limited', retryAfterS: 3 });
  assert.match(await post('limited'), /rate-limit .* 3 seconds/);
  workspace.faults.api('chat.postMessage', { kind: 'status', status: 503 }, 2);
  assert.match(await post('down'), /503/);
  assert.match(await post('down'), /503/);
  workspace.faults.api('*', { kind: 'error', error: 'is_archived' });
  assert.equal(await post('archived'), 'is_archived');
  workspace.faults.api('chat.postMessage', { kind: 'lost' });
  assert.match(await post('lost'), /fetch failed|request error/i);
  assert.equal(await post('fine'), 'ok');
  assert.deepEqual(
    workspace.see('approver').messages.map(({ text }) => text),
    ['lost', 'fine'],
  );
  workspace.faults.api('auth.test', { kind: 'error', error: 'x' });
  workspace.faults.clear();
  assert.equal(await refusalOf(client.auth.test()), 'ok');
});

test('a hanging call ends when the workspace stops', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  workspace.faults.api('auth.test', { kind: 'hang' });
  const hanging = refusalOf(client.auth.test());
  await workspace.waitFor(() => workspace.journal.find(({ name }) => name === 'auth.test'));
  await workspace.stop();
  assert.match(await hanging, /fetch failed|request error/i);
});

test('blocks.validate points at each error', async (t) => {
  const { client } = await startWorkspace(t);
  await client.blocks.validate({ blocks: [{ type: 'divider' }] });
  try {
    await client.blocks.validate({
      blocks: [{ type: 'header', text: { type: 'plain_text', text: '' } }],
    });
    assert.fail('it was taken');
  } catch (error) {
    const { data } = error as { data: { errors: unknown[] } };
    assert.deepEqual(data.errors, [
      {
        pointer: '/blocks/0/text/text',
        code: 'too_short',
        message: 'must be more than 0 characters',
      },
    ]);
  }
});

test('invalid blocks are refused with Slack’s messages and recorded in the journal', async (t) => {
  const { workspace, client } = await startWorkspace(t);
  const blocks = [{ type: 'nonsense' }];
  try {
    await client.chat.postMessage({ channel: workspace.channel('ops').id, text: 'x', blocks });
    assert.fail('it was taken');
  } catch (error) {
    const { data } = error as {
      data: { error: string; response_metadata: { messages: string[] } };
    };
    assert.equal(data.error, 'invalid_blocks');
    assert.deepEqual(data.response_metadata.messages, [
      '[ERROR] unsupported type: nonsense [json-pointer:/blocks/0/type]',
    ]);
  }
  assert.match(workspace.journal.at(-1)?.problem ?? '', /invalid_blocks; .*nonsense/);
});
