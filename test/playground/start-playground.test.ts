import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPlayground } from './playground-fixture.ts';

test('without configuration the page, the health check and the scripted agent work, and an approved file is written', async (t) => {
  const { start, logged } = await aPlayground(t);
  const page = await start();
  const html = await page.get('/');
  assert.match(html.headers.get('content-type') ?? '', /text\/html/);
  assert.equal((await page.get('/healthz')).status, 200);
  assert.equal((await page.get('/readyz')).status, 200);
  const begin = await (await page.get('/ui/start')).json();
  assert.equal(begin.scriptedModel, true);
  assert.deepEqual(await page.files(), []);

  await page.say('Write a haiku about approvals to haiku.txt');
  const [card] = await page.seen(/haiku\.txt.*call\.approve/);
  assert(card);
  assert.deepEqual(await page.files(), []);
  await page.press(card, 'call.approve');
  await page.seen(/The haiku is written/);
  const [file] = await page.files();
  assert.equal(file?.path, 'haiku.txt');
  assert.match(file?.text ?? '', /then the work goes on/);
  assert.deepEqual(logged, []);
});

test('a waiting call of an earlier run does not block the next run on the same data', async (t) => {
  const { start, logged } = await aPlayground(t);
  const first = await start();
  await first.say('Plan the week: one file each for Monday, Tuesday and Wednesday');
  await first.seen(/week\/.*call\.approve-all/);
  await first.stop();

  const second = await start();
  assert.equal((await second.get('/readyz')).status, 200);
  await second.say('Give me a long answer about how approvals work');
  await second.seen(/That was the long answer/);
  assert.deepEqual(logged, []);
});

test('the page is served before the app: it says that the app starts, and requests sent meanwhile get a response', async (t) => {
  const { start } = await aPlayground(t);
  let isReady = false;
  const early = new Promise<readonly [Response, Promise<Response>]>((resolve) => {
    const playground = start((url) => {
      const begin = fetch(`${url}ui/start`).then((response) => {
        assert(isReady, 'what is behind the page answered before it was there');
        return response;
      });
      void fetch(url).then((page) => {
        assert(!isReady);
        resolve([page, begin]);
      });
    });
    void playground.then(() => {
      isReady = true;
    });
  });
  const [page, begin] = await early;
  assert.equal(page.status, 200);
  assert.match(await page.text(), /The playground is starting…/);
  assert.equal((await begin).status, 200);
});

test('a second stop is harmless, and the port is free again', async (t) => {
  const { start } = await aPlayground(t);
  const page = await start();
  await Promise.all([page.stop(), page.stop()]);
  await assert.rejects(page.get('/healthz'));
});
