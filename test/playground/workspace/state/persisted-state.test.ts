import assert from 'node:assert/strict';
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createWorkspace } from '../../../../src/playground/workspace/create-workspace.ts';
import { openPersistedFile } from '../../../../src/playground/workspace/state/persisted-state.ts';
import { createSystemClock } from '../../../../src/process/system-clock.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

async function aFile(t: TestContext) {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  return join(path, 'data', 'playground.jsonl');
}

/** A workspace on that file, and the Web API as the app calls it. */
async function aWorkspace(t: TestContext, path: string) {
  const kept = openPersistedFile(path);
  const workspace = await createWorkspace({ clock: createSystemClock(), kept });
  const stop = async () => {
    await workspace.stop();
    kept.close();
  };
  t.after(stop);
  const call = async (method: string, args: object) => {
    const response = await fetch(`${workspace.apiUrl}${method}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${workspace.botToken}`,
        'content-type': 'application/json; charset=utf-8',
      },
      body: JSON.stringify(args),
    });
    return (await response.json()) as Record<string, never>;
  };
  return { workspace, kept, stop, call };
}

const BLOCKS = [{ type: 'section', text: { type: 'mrkdwn', text: 'A card' } }];

test('after a restart everybody sees the same content, and the app can change its messages', async (t) => {
  const path = await aFile(t);
  const first = await aWorkspace(t, path);
  const dm = await first.workspace.directMessage('approver');
  const { ts } = await first.workspace.say('requester', 'general', 'Refund it');
  const card = await first.call('chat.postMessage', {
    channel: 'C0GENERAL',
    thread_ts: ts,
    text: 'A card',
    blocks: BLOCKS,
    metadata: { event_type: 'card', event_payload: { call: 'call_1' } },
  });
  await first.call('chat.postMessage', { channel: dm.id, text: 'For you alone' });
  await first.call('chat.postEphemeral', {
    channel: 'C0GENERAL',
    user: 'U0REQUESTER',
    text: 'Psst',
  });
  first.workspace.setUserGroup('ops-approvers', ['admin']);
  const before = first.workspace.see('approver');
  await first.stop();

  const second = await aWorkspace(t, path);
  assert.deepEqual(second.workspace.see('approver'), before);
  assert.doesNotMatch(JSON.stringify(second.workspace.see('requester').messages), /Psst/);
  const changed = await second.call('chat.update', {
    channel: 'C0GENERAL',
    ts: card.ts,
    text: 'A settled card',
    blocks: BLOCKS,
  });
  assert.equal(changed.ok, true);
  const { messages } = (await second.call('conversations.replies', {
    channel: 'C0GENERAL',
    ts,
    include_all_metadata: true,
  })) as { messages?: { ts: string; text: string; metadata?: object }[] };
  assert.deepEqual(
    messages?.map((message) => [message.ts, message.text, message.metadata !== undefined]),
    [
      [ts, 'Refund it', false],
      [card.ts, 'A settled card', true],
    ],
  );
  assert.deepEqual(await second.workspace.directMessage('approver'), dm);
  const later = await second.workspace.say('requester', 'general', 'Later');
  assert.ok(Number(later.ts) > Number(card.ts));
});

test('a process that is killed in the middle of a line loses only that line', async (t) => {
  const path = await aFile(t);
  const file = openPersistedFile(path);
  file.keep('message', 'a', { text: 'one' });
  file.keep('message', 'b', { text: 'two' });
  file.close();
  await truncate(path, (await readFile(path)).length - 4);
  const next = openPersistedFile(path);
  assert.deepEqual(next.all('message'), [{ text: 'one' }]);
  next.keep('message', 'c', { text: 'three' });
  next.close();
  assert.deepEqual(openPersistedFile(path).all('message'), [{ text: 'one' }, { text: 'three' }]);
});

test('reading writes nothing, removed values are gone, and compaction leaves only the last values', async (t) => {
  const path = await aFile(t);
  openPersistedFile(path).close();
  await assert.rejects(readFile(path));
  const file = openPersistedFile(path);
  for (let turn = 0; turn < 100; turn += 1) file.keep('message', 'a', { turn });
  file.keep('done', 'b', true);
  file.keep('done', 'b');
  file.compact();
  assert.equal((await readFile(path, 'utf8')).trim().split('\n').length, 1);
  file.keep('message', 'z', { turn: 0 });
  file.close();
  await appendFile(path, '\n');
  const next = openPersistedFile(path);
  assert.deepEqual(next.all('message'), [{ turn: 99 }, { turn: 0 }]);
  assert.deepEqual(next.all('done'), []);
});
