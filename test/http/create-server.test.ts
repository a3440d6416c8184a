import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createServer, type HttpServer } from '../../src/http/create-server.ts';
import { createSystemClock } from '../../src/process/system-clock.ts';

const clock = createSystemClock();

describe('the HTTP server', () => {
  let server: HttpServer;
  let broken = false;
  const logged: string[] = [];
  before(async () => {
    server = await createServer({
      host: '127.0.0.1',
      port: 0,
      clock,
      log: { error: (_fields, message) => logged.push(message) },
      checks: {
        store: async () => {
          if (broken) throw new Error('The disk is full.');
        },
        slack: async () => {},
      },
      extraRoutes: (routes) => {
        routes.get('/more', (context) => context.text('more'));
        routes.get('/throws', () => {
          throw new Error('a secret');
        });
      },
    });
  });
  after(() => server.close());

  const get = async (path: string) => {
    const response = await fetch(`${server.url}${path}`);
    return { status: response.status, body: await response.text() };
  };

  it('reports liveness, whatever is broken', async () => {
    broken = true;
    assert.deepEqual(await get('/healthz'), { status: 200, body: '{"status":"alive"}' });
    broken = false;
  });

  it('is ready if every part is, and names the parts that are not', async () => {
    assert.equal((await get('/readyz')).status, 200);
    broken = true;
    assert.deepEqual(await get('/readyz'), {
      status: 503,
      body: '{"status":"not ready","problems":["store: The disk is full."]}',
    });
    broken = false;
  });

  it('serves its mounted routes, and 404 as JSON for others', async () => {
    assert.equal((await get('/more')).body, 'more');
    assert.deepEqual(await get('/nothing'), {
      status: 404,
      body: '{"error":"There is nothing here."}',
    });
    assert.equal((await get('/slack/events')).status, 404);
  });

  it('does not reveal errors', async () => {
    const { status, body } = await get('/throws');
    assert.equal(status, 500);
    assert.ok(!body.includes('secret'));
    assert.equal(logged.length, 1);
  });

  it('names the address that is already in use', async () => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      clock,
      log: { error() {} },
      checks: {},
    };
    await assert.rejects(createServer(options), new RegExp(`127.0.0.1:${server.port}.*PORT`));
  });

  it('is not ready once it starts to stop, and a second close is harmless', async () => {
    const options = { host: '127.0.0.1', port: 0, clock, log: { error() {} }, checks: {} };
    const other = await createServer(options);
    other.stopReady();
    const response = await fetch(`${other.url}/readyz`);
    assert.equal(response.status, 503);
    assert.match(await response.text(), /stopping/);
    await Promise.all([other.close(), other.close()]);
    await assert.rejects(fetch(`${other.url}/healthz`));
  });
});
