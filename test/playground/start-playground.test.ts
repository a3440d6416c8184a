import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import type { WorkspaceFile } from '../../src/playground/page/page-start.ts';
import { startPlayground } from '../../src/playground/start-playground.ts';
import type { Sight, WorkspaceMessage } from '../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../src/system-clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const GENERAL = 'C0GENERAL';

/** The playground in folders of its own, pressed by HTTP as its page does. */
async function aPlayground(t: TestContext) {
  const { path, remove } = await makeTempDir();
  const stops: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const stop of stops) await stop();
    await remove();
  });
  const config = readConfig(
    { PORT: '0', DATA_DIR: join(path, 'data'), WORKSPACE_DIR: join(path, 'files') },
    { exists: () => false },
  );
  assert(config.mode === 'playground');
  const logged: string[] = [];
  const log = createLog({
    level: 'warn',
    destination: { write: (line) => void logged.push(line) },
  });

  async function start() {
    assert(config.mode === 'playground');
    const app = await startPlayground(config, { clock: createSystemClock(), log });
    stops.push(app.stop);
    return { stop: app.stop, ...aPage(app.url) };
  }
  return { start, logged };
}

function aPage(url: string) {
  const get = async (path: string) => await fetch(`${url}${path}`);
  async function post(name: string, body: object): Promise<unknown> {
    const response = await fetch(`${url}/ui/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ as: 'requester', ...body }),
    });
    assert.equal(response.status, 200, await response.clone().text());
    return await response.json();
  }
  async function see(): Promise<Sight> {
    const response = await get('/ui/sight?as=requester');
    return (await response.json()) as Sight;
  }
  return {
    get,
    say: (text: string) => post('say', { channel: GENERAL, text: `\${bot} ${text}` }),
    press: ({ channel, ts }: WorkspaceMessage, actionId: string) =>
      post('click', { channel, ts, actionId }),
    async files(): Promise<readonly WorkspaceFile[]> {
      const response = await get('/ui/files');
      return (await response.json()) as readonly WorkspaceFile[];
    },
    /** Waits for messages of the app; what never comes is ended by the runner's time-out. */
    async seen(shape: RegExp, count = 1): Promise<readonly WorkspaceMessage[]> {
      for (;;) {
        const { messages } = await see();
        const found = messages.filter(
          ({ user, text, blocks }) =>
            user === 'U0COUNTERSIGN' && shape.test(`${text} ${JSON.stringify(blocks)}`),
        );
        if (found.length >= count) return found;
      }
    },
  };
}

test('with nothing configured the page, the health and the scripted agent are there, and what is approved is written', async (t) => {
  const { start, logged } = await aPlayground(t);
  const page = await start();
  const html = await page.get('/');
  assert.match(html.headers.get('content-type') ?? '', /text\/html/);
  assert.equal((await page.get('/healthz')).status, 200);
  assert.equal((await page.get('/readyz')).status, 200);
  const begin = await (await page.get('/ui/start')).json();
  assert.equal(begin.scriptedModel, true);
  assert.equal(begin.suggestions.length, 9);
  assert.deepEqual(await page.files(), []);

  await page.say('Write a haiku about approvals to haiku.txt');
  const [card] = await page.seen(/call\.approve/);
  assert(card);
  assert.deepEqual(await page.files(), []);
  await page.press(card, 'call.approve');
  await page.seen(/The haiku is written/);
  const [file] = await page.files();
  assert.equal(file?.path, 'haiku.txt');
  assert.match(file?.text ?? '', /then the work goes on/);
  assert.deepEqual(logged, []);
});

test('what an earlier run left waiting does not hinder the next run on the same data', async (t) => {
  const { start, logged } = await aPlayground(t);
  const first = await start();
  await first.say('Plan the week: one file each for Monday, Tuesday and Wednesday');
  await first.seen(/call\.approve/, 3);
  await first.stop();

  const second = await start();
  assert.equal((await second.get('/readyz')).status, 200);
  await second.say('Give me a long answer about how approvals work');
  await second.seen(/That was the long answer/);
  assert.deepEqual(logged, []);
});

test('stopped twice it is stopped once, and its port is free again', async (t) => {
  const { start } = await aPlayground(t);
  const page = await start();
  await Promise.all([page.stop(), page.stop()]);
  await assert.rejects(page.get('/healthz'));
});
