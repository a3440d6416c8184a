/** Field reports about the HTTP API: an input that failed, and the correct response. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { createServer } from '../../../src/http/create-server.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { setApiStage } from './api-stage.ts';

const CALL = { action: 'drop_table', args: { table: 'users' } };

async function setStage(t: TestContext, options: Parameters<typeof setApiStage>[1] = {}) {
  const stage = await setApiStage(t, options);
  const token = await stage.key();
  return {
    ...stage,
    token,
    async make(headers: Readonly<Record<string, string>> = {}) {
      const made = await stage.ask('POST', '/api/approvals', { token, body: CALL, headers });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const call = await stage.desk.store.ledger.get(made.body.id);
      return { id: String(made.body.id), outside: call?.outside };
    },
  };
}

describe('field reports about the HTTP API', () => {
  it('keeps idle connections longer than load balancers do, as the settings say', async (t) => {
    const options = {
      host: '127.0.0.1',
      port: 0,
      clock: createSystemClock(),
      log: { error() {} },
      checks: {},
    };
    const server = await createServer(options);
    t.after(() => server.close());
    const keptFor = async (url: string) => {
      const response = await fetch(`${url}/healthz`);
      await response.text();
      return response.headers.get('keep-alive');
    };
    assert.equal(await keptFor(server.url), 'timeout=65');
    const other = await createServer({ ...options, keepAliveMs: 120_000, headersMs: 130_000 });
    t.after(() => other.close());
    assert.equal(await keptFor(other.url), 'timeout=120');
    const { http } = readConfig({ KEEP_ALIVE_TIMEOUT: '120', HEADERS_TIMEOUT: '130' });
    assert.deepEqual([http.keepAliveMs, http.headersMs], [120_000, 130_000]);
    assert.throws(() => readConfig({ KEEP_ALIVE_TIMEOUT: '70' }), /HEADERS_TIMEOUT must be longer/);
  });

  it('still times out a request that does not arrive', async (t) => {
    const server = await createServer({
      ...{ host: '127.0.0.1', port: 0, clock: createSystemClock(), log: { error() {} } },
      checks: {},
      headersMs: 300,
    });
    t.after(() => server.close());
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nHost: here\r\n');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    await new Promise((done) => socket.once('close', done));
    assert.match(received, /^HTTP\/1\.1 408 /);
  });

  it('ends a wait before proxies time out at 60 seconds, and says so', async (t) => {
    const stage = await setStage(t);
    const { id } = await stage.make();
    const asked = stage.ask('GET', `/api/approvals/${id}?wait=600`, { token: stage.token });
    while (stage.desk.clock.pendingCount === 0) await new Promise((done) => setImmediate(done));
    let answer: Awaited<typeof asked> | undefined;
    void asked.then((response) => {
      answer = response;
    });
    const before = stage.desk.clock.now();
    while (!answer && stage.desk.clock.now() < before + 60_000) {
      await stage.desk.clock.advance(1_000);
      await new Promise((done) => setTimeout(done, 2));
    }
    assert.equal(answer?.status, 202);
    assert.ok(stage.desk.clock.now() - before <= 52_000);
    assert.equal(answer?.headers.get('preference-applied'), 'wait=50');
  });

  it('sends a comment at once on a stream without events', async (t) => {
    const stage = await setStage(t);
    const { id } = await stage.make();
    await stage.desk.rest();
    const { body } = await stage.ask('GET', `/api/approvals/${id}`, { token: stage.token });
    const gone = new AbortController();
    const response = await fetch(`${stage.url()}/api/approvals/${id}/events`, {
      headers: { authorization: `Bearer ${stage.token}`, 'last-event-id': String(body.revision) },
      signal: gone.signal,
    });
    const { value } = (await response.body?.getReader().read()) ?? {};
    assert.match(new TextDecoder().decode(value), /^: .*\n\n/);
    gone.abort();
  });

  it('documents integers that every language has, its server and its public operations', async (t) => {
    const stage = await setStage(t);
    const text = JSON.stringify(stage.document());
    assert.doesNotMatch(text, /9007199254740991/);
    assert.equal((text.match(/"type":"integer"/g) ?? []).length, text.split('"int64"').length - 1);
    const { paths, servers } = stage.document() as unknown as {
      servers: readonly { url: string }[];
      paths: Record<string, Record<string, { security?: unknown }>>;
    };
    assert.deepEqual(
      servers.map(({ url }) => url),
      ['/'],
    );
    assert.deepEqual(paths['/api/jwks.json']?.get?.security, []);
  });

  describe('behind a proxy', () => {
    const FORWARDED = { 'x-forwarded-for': '203.0.113.9, 10.1.2.3', 'x-forwarded-proto': 'https' };
    const ROWS: readonly (readonly [
      what: string,
      trusted: readonly string[],
      headers: Readonly<Record<string, string>>,
      seen: { readonly host?: string; readonly isProxied?: true },
    ])[] = [
      ['without one the address is the peer’s', [], {}, { host: '127.0.0.1' }],
      ['one that is not trusted hides the address', [], FORWARDED, { isProxied: true }],
      [
        'one that is trusted tells the client, whatever the client claims',
        ['127.0.0.1', '10.0.0.0/8'],
        { ...FORWARDED, 'x-forwarded-for': '8.8.8.8, 203.0.113.9, 10.1.2.3' },
        { host: '203.0.113.9' },
      ],
      [
        'a port and brackets are no part of the address',
        ['127.0.0.0/8'],
        { 'x-forwarded-for': '[2001:db8::7]:4711' },
        { host: '2001:db8::7' },
      ],
      [
        'what is no address is not shown as one',
        ['127.0.0.1'],
        { 'x-forwarded-for': 'unknown' },
        { isProxied: true },
      ],
      ['one that names nobody hides it', ['127.0.0.1'], { via: '1.1 edge' }, { isProxied: true }],
    ];
    for (const [what, trustedProxies, headers, seen] of ROWS) {
      it(what, async (t) => {
        const stage = await setStage(t, { trustedProxies });
        const { outside } = await stage.make(headers);
        const { host, isProxied } = outside ?? {};
        assert.deepEqual({ ...(host && { host }), ...(isProxied && { isProxied }) }, seen);
      });
    }

    it('accepts only addresses and ranges as settings', () => {
      const { http } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1' });
      assert.deepEqual(http.trustedProxies, ['10.0.0.0/8', '::1']);
      assert.throws(() => readConfig({ TRUSTED_PROXIES: 'nginx' }), /TRUSTED_PROXIES must be addr/);
    });
  });

  describe('for pages of other origins', () => {
    const ORIGIN = 'https://approvals.example.com';
    const preflight = (url: string, path: string, origin: string) =>
      fetch(`${url}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });

    it('is closed unless the settings name them', async (t) => {
      const stage = await setStage(t);
      const { headers, status } = await preflight(stage.url(), '/api/approvals', ORIGIN);
      assert.deepEqual([status, headers.get('access-control-allow-origin')], [405, null]);
    });

    it('is open to the named ones, without cookies, and only for the API', async (t) => {
      const stage = await setStage(t, { corsOrigins: [ORIGIN] });
      const asked = await preflight(stage.url(), '/api/approvals', ORIGIN);
      assert.equal(asked.status, 204);
      assert.equal(asked.headers.get('access-control-allow-origin'), ORIGIN);
      assert.equal(asked.headers.get('access-control-allow-credentials'), null);
      assert.match(asked.headers.get('access-control-allow-headers') ?? '', /authorization/);
      const headers = { origin: ORIGIN, authorization: `Bearer ${stage.token}` };
      const read = await fetch(`${stage.url()}/api/approvals`, { headers });
      assert.equal(read.status, 200);
      assert.equal(read.headers.get('access-control-allow-origin'), ORIGIN);
      const refused = await fetch(`${stage.url()}/api/approvals`, { headers: { origin: ORIGIN } });
      assert.deepEqual(
        [refused.status, refused.headers.get('access-control-allow-origin')],
        [401, ORIGIN],
      );
      for (const [path, origin] of [
        ['/api/approvals', 'https://evil.example'],
        ['/api/approvals', 'null'],
        ['/healthz', ORIGIN],
        ['/', ORIGIN],
      ] as const) {
        const other = await fetch(`${stage.url()}${path}`, { headers: { ...headers, origin } });
        assert.equal(other.headers.get('access-control-allow-origin'), null, `${path} ${origin}`);
      }
    });

    it('accepts only exact origins as settings', () => {
      assert.deepEqual(readConfig({ CORS_ORIGINS: ORIGIN }).http.corsOrigins, [ORIGIN]);
      for (const wide of ['*', 'null', `${ORIGIN}/`, 'https://*.example.com', 'example.com']) {
        assert.throws(() => readConfig({ CORS_ORIGINS: wide }), ConfigError, wide);
      }
    });
  });

  it('names an unsupported encoding', async (t) => {
    const stage = await setStage(t);
    const { body, status } = await stage.ask('POST', '/api/approvals', {
      token: stage.token,
      raw: new Uint8Array(gzipSync(JSON.stringify(CALL))),
      headers: { 'content-encoding': 'gzip' },
    });
    assert.equal(status, 415);
    assert.match(body.detail, /“gzip”.*Send the body without an encoding/);
  });

  it('accepts UTF-8 under each of its names', async (t) => {
    const stage = await setStage(t);
    for (const charset of ['utf8', 'UTF-8', '"utf-8"', '"utf8"']) {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      await stage.make(headers);
    }
  });

  it('reports the range of a number', async (t) => {
    const stage = await setStage(t);
    const { id } = await stage.make();
    for (const [query, says] of [
      [`/${id}?wait=-1`, /`wait` must be a whole number of seconds from 0 to/],
      [`/${id}?wait=soon`, /`wait` must be a whole number of seconds from 0 to/],
      [`/${id}?wait=1.5`, /`wait` must be a whole number of seconds from 0 to/],
      [`/${id}?revision=-1`, /`revision` must be a whole number from 0 to/],
      ['?limit=0', /`limit` must be a whole number from 1 to 100/],
      ['?limit=101', /`limit` must be a whole number from 1 to 100/],
    ] as const) {
      const response = await stage.ask('GET', `/api/approvals${query}`, { token: stage.token });
      assert.equal(response.status, 400);
      assert.match(response.body.detail, says);
    }
  });

  it('accepts a base address that ends with a slash', async (t) => {
    const stage = await setStage(t);
    const headers = { authorization: `Bearer ${stage.token}` };
    for (const path of ['//api/approvals', '/api//approvals?limit=1', '//api//openapi.json']) {
      assert.equal((await fetch(`${stage.url()}${path}`, { headers })).status, 200, path);
    }
    assert.equal((await fetch(`${stage.url()}//healthz`)).status, 404);
  });
});
