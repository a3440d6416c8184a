import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createSendFile } from '../../../../src/agent/tools/files/send-file.ts';
import { createWorkspaceBytes } from '../../../../src/agent/tools/files/workspace-bytes.ts';
import type { FileToSend } from '../../../../src/domain/ports/file-ports.ts';
import { REQUESTER } from '../../../support/builders/a-call.ts';
import { buildDesk } from '../../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../../support/servers/mock-model.ts';

describe('send_file', () => {
  async function waiting(t: TestContext, content = 'as approved') {
    const sent: FileToSend[] = [];
    let dir = '';
    const made = createSendFile({
      files: {
        read: (path, most) => createWorkspaceBytes(dir).read(path, most),
        add: async () => 'taken',
      },
      send: async (each) => void sent.push(each),
    });
    assert.equal(made.kind, 'tool');
    const desk = await buildDesk(t, { tools: [], made: made.kind === 'tool' ? [made.tool] : [] });
    dir = desk.workspaceDir;
    await writeFile(join(dir, 'report.txt'), content);
    desk.model.script((_request, index) =>
      index === 0
        ? sayCalls([{ name: 'send_file', args: '{"path":"./report.txt","comment":"Here."}' }])
        : sayText('Done.'),
    );
    await desk.send('send me the report');
    const [call] = await desk.calls();
    assert.ok(call);
    return { desk, call, sent, path: join(dir, 'report.txt') };
  }

  it('shows on its card what would be sent, and sends exactly those bytes', async (t) => {
    const { desk, call, sent } = await waiting(t);
    assert.equal(
      call.preview,
      [
        'Sends a file to everyone who can read this thread.',
        'SHA-256: 183a723eabc9a497…',
        'Size: 11 bytes',
        'Type: text',
        'Name: report.txt',
        'Content:',
        'as approved',
      ].join('\n'),
    );
    assert.equal(sent.length, 0);
    await desk.decide(call, REQUESTER);
    const [file] = sent;
    assert.deepEqual(
      [file?.thread, file?.name, file?.comment],
      [call.thread, 'report.txt', 'Here.'],
    );
    assert.equal(Buffer.from(file?.bytes ?? []).toString(), 'as approved');
  });

  it('asks again about a file that was changed after its card was shown', async (t) => {
    const { desk, call, sent, path } = await waiting(t);
    await writeFile(path, 'as replaced');
    await desk.decide(call, REQUESTER);
    assert.deepEqual(sent, []);
    const [after] = await desk.calls();
    assert.equal(after?.status, 'pending');
    assert.match(after?.preview ?? '', /as replaced$/);
  });

  it('does not send a file that was empty on its card and is not any more', async (t) => {
    const { desk, call, sent, path } = await waiting(t, '');
    assert.match(call.preview ?? '', /^As things stand, this would fail: .*report\.txt is empty/);
    await writeFile(path, 'filled meanwhile');
    await desk.decide(call, REQUESTER);
    assert.deepEqual(sent, []);
    const [after] = await desk.calls();
    assert.match(after?.preview ?? '', /filled meanwhile$/);
  });

  it('sends nothing if it is ignored', async (t) => {
    const { desk, call, sent } = await waiting(t);
    await desk.decide(call, REQUESTER, { kind: 'ignore' });
    assert.deepEqual(sent, []);
  });
});
