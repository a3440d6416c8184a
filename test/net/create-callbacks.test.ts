/** Callbacks: signed, over https, to public addresses only. Only the status of the response is read. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { callbackSecretOf } from '../../src/domain/ports/callback.ts';
import { createCallbacks } from '../../src/net/create-callbacks.ts';
import { PUBLIC_INTERNET, type WebAccess } from '../../src/net/ssrf-guard.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { readmeSnippet } from '../support/readme-snippet.ts';
import { until } from '../support/until.ts';

const KEY = new Uint8Array(32).fill(3);
const BODY = '{"id":"call_1","text":"grüße"}';
const NEVER = new AbortController().signal;

/** A network check that treats 127.0.0.1 as public and allows any port. */
const OPEN: WebAccess = {
  isPublic: (address) => address === '127.0.0.1',
  isAllowedPort: () => true,
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
};

async function listen(t: TestContext, answer: RequestListener) {
  const got: { request: IncomingMessage; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    got.push({ request, body: Buffer.concat(chunks).toString() });
    response.on('error', () => {});
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { got, url: (path = '/') => `http://program.test:${port}${path}` };
}

function callbacks(reach: WebAccess = OPEN) {
  const clock = createManualClock(1_700_000_000_999);
  return { clock, ...createCallbacks({ installationKey: KEY, clock, reach }) };
}

const send = (to: ReturnType<typeof callbacks>, url: string, signal = NEVER) =>
  to.send({ url, key: 'k1', body: BODY }, signal);

describe('a callback', () => {
  it('is signed with its key’s secret over the timestamp and the exact bytes', async (t) => {
    const { got, url } = await listen(t, (_request, response) => response.writeHead(204).end());
    await send(callbacks(), url('/hook?a=1'));
    const [only] = got;
    assert.equal(only?.body, BODY);
    assert.deepEqual([only?.request.method, only?.request.url], ['POST', '/hook?a=1']);
    assert.equal(only?.request.headers['content-type'], 'application/json');
    const secret = callbackSecretOf(KEY, 'k1');
    const mac = createHmac('sha256', secret).update(`1700000000.${BODY}`).digest('hex');
    assert.equal(only?.request.headers['countersign-signature'], `t=1700000000,v1=${mac}`);
    assert.notEqual(secret, callbackSecretOf(KEY, 'k2'));
    assert.notEqual(secret, callbackSecretOf(new Uint8Array(32), 'k1'));
  });

  it('can be verified as src/http/README.md describes', async (t) => {
    const { got, url } = await listen(t, (_request, response) => response.writeHead(204).end());
    await send(callbacks(), url());
    const header = String(got[0]?.request.headers['countersign-signature']);
    const script = readmeSnippet('src/http/README.md', 'function isGenuine');
    const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
    const secret = callbackSecretOf(KEY, 'k1');
    const now = 1_700_000_000_000;
    assert.equal(isGenuine(secret, header, BODY, now), true);
    assert.equal(isGenuine(secret, header, `${BODY} `, now), false);
    assert.equal(isGenuine(callbackSecretOf(KEY, 'k2'), header, BODY, now), false);
    assert.equal(isGenuine(secret, header, BODY, now + 400_000), false);
    assert.equal(isGenuine(secret, header.replace(/v1=.*/, 'v1='), BODY, now), false);
  });

  it('is rejected with the reason when the response is not 2xx, whatever its body says', async (t) => {
    const { url } = await listen(t, ({ url: path = '' }, response) => {
      response.writeHead(Number(path.slice(1)), { location: url('/200') });
      response.end('x'.repeat(5_000_000));
    });
    await send(callbacks(), url('/200'));
    for (const status of [400, 404, 500]) {
      await assert.rejects(send(callbacks(), url(`/${status}`)), /answered \d+\. A callback needs/);
    }
  });

  it('follows no redirect, not even to an allowed address', async (t) => {
    const { got, url } = await listen(t, (_request, response) =>
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    );
    await assert.rejects(
      send(callbacks(), url()),
      /answered 302, a redirect\. Callbacks do not follow/,
    );
    assert.equal(got.length, 1);
  });

  it('fails at once when the server speaks another protocol, and frees its slot', async (t) => {
    const { url } = await listen(t, (_request, response) =>
      response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end(),
    );
    const to = callbacks();
    await assert.rejects(send(to, url()), /program\.test:\d+ answered 101/);
    assert.equal(to.clock.pendingCount, 0);
  });

  it('is sent only over https to public addresses', () => {
    const clock = createManualClock();
    const { problemOf } = createCallbacks({ installationKey: KEY, clock });
    for (const [url, why] of [
      ['http://program.example/hook', /https/],
      ['http://169.254.169.254/latest/meta-data', /https/],
      ['https://169.254.169.254/latest/meta-data', /not an address of the public internet/],
      ['https://[::ffff:127.0.0.1]/', /not an address of the public internet/],
      ['https://2130706433/', /not an address of the public internet/],
      ['https://10.0.0.1/', /not an address of the public internet/],
      ['https://user:secret@program.example/', /user name or a password/],
      ['https://program.example:22/', /must use port 443, not 22/],
      ['ftp://program.example/', /https/],
      ['file:///etc/passwd', /https/],
      ['program.example', /must be a URL/],
      [`https://program.example/${'x'.repeat(2_000)}`, /at most 2000/],
    ] as const) {
      assert.match(problemOf(url) ?? 'none', why, url);
    }
    assert.equal(problemOf('https://program.example/hook'), undefined);
  });

  it('is not sent when the host resolves to a private address, even only at connect time', async (t) => {
    const { got, url } = await listen(t, (_request, response) => response.writeHead(204).end());
    let asked = 0;
    const rebinding: WebAccess = {
      ...OPEN,
      isPublic: PUBLIC_INTERNET.isPublic,
      resolve: async () => {
        asked += 1;
        return [{ address: asked === 1 ? '93.184.215.14' : '127.0.0.1', family: 4 }];
      },
    };
    await rebinding.resolve('program.test');
    const { problemOf } = callbacks(rebinding);
    assert.equal(problemOf(url()), undefined);
    await assert.rejects(send(callbacks(rebinding), url()), /leads to 127\.0\.0\.1/);
    const lying: WebAccess = { ...OPEN, isPublic: (address) => address === '93.184.215.14' };
    const swapped = { ...lying, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
    await assert.rejects(send(callbacks(swapped), url()), /leads to 127\.0\.0\.1/);
    assert.equal(got.length, 0);
  });

  it('times out after ten seconds without a response, and is aborted with its task', async (t) => {
    const { got, url } = await listen(t, () => {});
    const program = callbacks();
    const sending = send(program, url());
    const rejected = assert.rejects(sending, /did not answer within 10 s/);
    await until(() => got.length === 1);
    await program.clock.advance(10_000);
    await rejected;
    assert.equal(program.clock.pendingCount, 0);
    const ends = new AbortController();
    const ended = assert.rejects(send(program, url(), ends.signal), /over/);
    await until(() => got.length === 2);
    ends.abort(new Error('It is over.'));
    await ended;
  });
});
