import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createFileUpload } from '../../../src/slack/files/upload-file.ts';
import { connectSlack } from '../../../src/slack/transport/connect-slack.ts';

const SIGNAL = new AbortController().signal;
const bytes = Buffer.from([0, 1, 255]);

describe('an upload into a thread', () => {
  let workspace: Workspace;
  let send: ReturnType<typeof createFileUpload>;
  const logged: object[] = [];

  before(async () => {
    workspace = await createWorkspace({ clock: createSystemClock() });
    const silent = () => {};
    const info = (fields: object) => void logged.push(fields);
    const log = { debug: silent, info, warn: silent, error: silent };
    const { botToken, signingSecret, apiUrl } = workspace;
    const connection = await connectSlack({ config: { botToken, signingSecret, apiUrl }, log });
    send = createFileUpload({ connection, log });
  });
  beforeEach(() => {
    workspace.faults.clear();
    logged.splice(0);
  });
  after(() => workspace.stop());

  async function aThread() {
    const { id: channel } = workspace.channel('general');
    const { ts } = await workspace.say('requester', channel, 'send it');
    const files = () =>
      workspace
        .see('requester')
        .messages.flatMap((message) => (message.threadTs === ts ? message.files : []));
    const key = threadKey({ team: workspace.team.id, channel, ts });
    return { key, files };
  }

  it('posts the file, and logs its hash', async () => {
    const { key, files } = await aThread();
    await send({ thread: key, name: 'a.bin', bytes }, SIGNAL);
    assert.deepEqual(
      files().map(({ name, size }) => [name, size]),
      [['a.bin', 3]],
    );
    const [{ sha256, size }] = logged as [{ sha256?: string; size?: number }];
    assert.match(sha256 ?? '', /^26a66b06/);
    assert.equal(size, 3);
  });

  it('posts a helper’s file into the parent thread', async () => {
    const { key, files } = await aThread();
    await send({ thread: `${key}/call_x` as typeof key, name: 'a.bin', bytes }, SIGNAL);
    assert.equal(files().length, 1);
  });

  for (const [method, fault, why] of [
    [
      'files.getUploadURLExternal',
      { kind: 'error', error: 'missing_scope' },
      /missing_scope.*manifest/,
    ],
    [
      'files.getUploadURLExternal',
      { kind: 'status', status: 500 },
      /did not answer as it should\.$/,
    ],
    ['files.completeUploadExternal', { kind: 'error', error: 'not_in_channel' }, /Invite me/],
  ] as const) {
    it(`posts no file when ${method} fails with ${JSON.stringify(fault)}, and gives the reason`, async () => {
      const { key, files } = await aThread();
      workspace.faults.api(method, fault);
      await assert.rejects(send({ thread: key, name: 'a.bin', bytes }, SIGNAL), why);
      assert.deepEqual(files(), []);
      assert.deepEqual(logged, []);
    });
  }

  it('reports an unknown outcome when the last response is lost', async () => {
    const { key, files } = await aThread();
    workspace.faults.api('files.completeUploadExternal', { kind: 'lost' });
    await assert.rejects(send({ thread: key, name: 'a.bin', bytes }, SIGNAL), /may have arrived/);
    assert.equal(files().length, 1);
  });

  it('sends nothing to a host that is not Slack’s', async () => {
    const { key } = await aThread();
    const { client, asked } = elsewhere();
    const config = { botToken: 'xoxb-1', apiUrl: workspace.apiUrl };
    const silent = () => {};
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const lost = createFileUpload({ connection: { client, config }, log });
    await assert.rejects(lost({ thread: key, name: 'a', bytes }, SIGNAL), /nothing was sent/);
    assert.deepEqual(asked, ['announced']);
  });
});

/** A Slack that names another host for the upload. */
function elsewhere() {
  const asked: string[] = [];
  const files = {
    getUploadURLExternal: async () => {
      asked.push('announced');
      return { ok: true, upload_url: 'https://evil.test/upload', file_id: 'F1' };
    },
    completeUploadExternal: async () => {
      asked.push('completed');
      return { ok: true };
    },
  };
  type Client = Parameters<typeof createFileUpload>[0]['connection']['client'];
  return { client: { files } as unknown as Client, asked };
}
