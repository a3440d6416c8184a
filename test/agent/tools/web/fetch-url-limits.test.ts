import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createManualClock } from '../../../support/manual-clock.ts';
import { until } from '../../../support/until.ts';
import { createWebServer, fetchTool, HTML, run, TEXT } from './web-server.ts';

describe('limits', () => {
  test('two megabytes of a gigabyte are read, with little memory', async (t) => {
    const chunk = Buffer.alloc(65_536, 'x');
    let sent = 0;
    const server = await createWebServer(t, (_request, response) => {
      response.writeHead(200, { ...TEXT, 'content-length': 1e9 });
      const more = () => {
        while (!response.destroyed && sent < 1e9) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    const before = process.memoryUsage().rss;
    const said = await run(fetchTool(), { url: server.at('/') });
    assert.match(
      said,
      /\nOnly the first 2 MB of the page were read\.\nOnly the first 50000 of 2097152 characters are shown\.\n/,
    );
    assert(said.length < 51_000);
    assert(sent < 50e6, `${sent} bytes were sent`);
    assert(process.memoryUsage().rss - before < 100e6);
  });

  test('a gzip bomb is read up to the same limit', async (t) => {
    const bomb = gzipSync(Buffer.alloc(100e6, 'x'));
    assert(bomb.length < 200_000);
    const server = await createWebServer(t, (_request, response) =>
      response.writeHead(200, { ...TEXT, 'content-encoding': 'gzip' }).end(bomb),
    );
    const before = process.memoryUsage().rss;
    assert.match(await run(fetchTool(), { url: server.at('/') }), /Only the first 2 MB/);
    assert(process.memoryUsage().rss - before < 60e6);
  });

  test('a slow response times out: no answer, a slow body', async (t) => {
    const server = await createWebServer(t, ({ url }, response) => {
      if (url === '/slow') response.writeHead(200, TEXT).write('x');
    });
    for (const path of ['/never', '/slow']) {
      const clock = createManualClock();
      const running = run(fetchTool({}, clock), { url: server.at(path) });
      await until(() => server.requests.at(-1)?.url === path);
      await Promise.all([
        assert.rejects(running, /could not be fetched and read within 20 s/),
        clock.advance(20_000),
      ]);
      assert.equal(clock.pendingCount, 0);
    }
  });

  test('HTML that is slow to parse is given up, and blocks nobody', async (t) => {
    const server = await createWebServer(t, (_request, response) =>
      response.writeHead(200, HTML).end('<div>'.repeat(400_000)),
    );
    const clock = createManualClock();
    const running = run(fetchTool({}, clock), { url: server.at('/') });
    const ended = assert.rejects(running, /could not be fetched and read within 20 s/);
    let turns = 0;
    await until(() => {
      turns += 1;
      return server.requests.length === 1 && turns > 5_000;
    });
    await clock.advance(20_000);
    await ended;
  });

  test('a stop ends the request', async (t) => {
    const server = await createWebServer(t, () => {});
    const stop = new AbortController();
    const running = run(fetchTool(), { url: server.at('/') }, stop.signal);
    await until(() => server.requests.length === 1);
    stop.abort(new Error('stopped'));
    await assert.rejects(running, /stopped/);
  });
});
