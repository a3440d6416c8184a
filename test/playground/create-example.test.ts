import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type {
  WorkspaceMessage,
  WorkspaceView,
} from '../../src/playground/workspace/workspace-port.ts';
import { startApp } from '../support/app/app-process.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { aPlayground } from './playground-fixture.ts';

/** The threads of the channel: each request and the content of its replies. */
function threadsOf({ messages }: WorkspaceView) {
  return messages
    .filter(({ threadTs }) => threadTs === undefined)
    .map((root) => ({
      asked: root.text.replace(/^<@\w+> /, ''),
      replies: messages.filter(({ threadTs }) => threadTs === root.ts).map(contentOf),
    }));
}

function contentOf({ text, blocks }: WorkspaceMessage): string {
  return `${text} ${JSON.stringify(blocks)}`;
}

function assertExample(sight: WorkspaceView): void {
  const threads = threadsOf(sight);
  assert.deepEqual(
    threads.map(({ asked }) => asked),
    [
      'Refund €59.90 of order A-10288, it came damaged',
      'Refund €249 of order A-10291, it came damaged',
    ],
  );
  const [finished = [], waiting = []] = threads.map(({ replies }) => replies);
  const count = (replies: readonly string[], shape: RegExp) =>
    replies.filter((content) => shape.test(content)).length;
  assert.equal(count(finished, /call\.approve/), 0);
  assert.equal(count(finished, /The order is refunded\./), 1);
  assert.equal(count(finished, /€59\.90/), finished.length);
  assert.equal(count(waiting, /call\.approve/), 1);
  assert.equal(waiting.length, 1);
}

test('the example starts with a refund that is approved and answered, and one that waits', async (t) => {
  const { logged, start } = await aPlayground(t);
  const page = await start();
  assertExample(await page.see());
  const begin = await (await page.get('/ui/start')).json();
  const waiting = (await page.see()).messages.find(({ text }) => text.includes('A-10291'));
  assert.deepEqual(begin.opens, { channel: waiting?.channel, thread: waiting?.ts });
  assert.deepEqual(logged, []);
});

test('a restart shows the same workspace, and the waiting refund can still be approved', async (t) => {
  const { logged, start } = await aPlayground(t);
  const first = await start();
  await first.say('Write a haiku about approvals to haiku.txt');
  await first.seen(/haiku\.txt.*call\.approve/);
  const before = await first.see();
  await first.stop();

  const second = await start();
  const after = await second.see();
  assert.deepEqual(threadsOf(after), threadsOf(before));
  const [card] = await second.seen(/A-10291.*call\.approve/);
  assert(card);
  await second.press(card, 'call.approve');
  await second.seen(/Refunded €249\.00 for order A-10291/);
  await second.seen(/The order is refunded\./, 2);
  assert.deepEqual(logged, []);
});

for (const [moment, shape] of [
  ['the first question was asked', /A-10288/],
  ['the first card waits', /call\.approve/],
  ['the second question was asked', /A-10291/],
] as const) {
  test(`the next start continues the same example if the process is killed as soon as ${moment}`, async (t) => {
    const folder = await makeTempDir();
    t.after(folder.remove);
    const app = await startApp({
      PORT: '0',
      DATA_DIR: join(folder.path, 'data'),
      WORKSPACE_DIR: join(folder.path, 'files'),
    });
    const kept = join(folder.path, 'data', 'playground.jsonl');
    await until(async () => shape.test(await readFile(kept, 'utf8').catch(() => '')), 5);
    await app.kill();
    const { start } = await aPlayground(t, folder.path);
    const page = await start();
    assertExample(await page.see());
  });
}
