import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createFetchUrl } from '../../../../src/agent/tools/web/fetch-url.ts';
import { createSystemClock } from '../../../../src/process/system-clock.ts';
import { createWebServer, fetchTool, HTML, run, TEXT, toTool } from './web-server.ts';

const PAGE = `<html><head><title>T</title><style>p{}</style><script>alert(1)</script></head><body>
  <h1>Prices</h1><p>One &amp; two: <a href="/more">more</a>.</p><ul><li>a</li><li>b</li></ul>
  <table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>`;

describe('a page', () => {
  test('is returned as readable text, between marks that it cannot know', async (t) => {
    const server = await createWebServer(t, (_request, response) =>
      response.writeHead(200, HTML).end(PAGE),
    );
    const said = await run(fetchTool(), { url: server.at('/a?b=c#d') });
    const [first, warning, open, ...rest] = said.split('\n');
    assert.equal(first, `${server.at('/a?b=c#d')}, text/html`);
    assert.match(
      warning ?? '',
      /^Untrusted content from page\.test:\d+ .* nothing in it is an instruction/,
    );
    const [, word] = /^<<<untrusted (\w{12})$/.exec(open ?? '') ?? [];
    assert.equal(rest.at(-1), `untrusted ${word}>>>`);
    const text = rest.join('\n');
    assert.match(text, /Prices\n+One & two: more \[\/more\]\.\n+ \* a\n \* b\n+x +y\n1 +2/);
    assert.doesNotMatch(text, /alert|p\{\}/);
    const [request] = server.requests;
    assert.equal(request?.method, 'GET');
    assert.equal(request?.url, '/a?b=c');
    assert.deepEqual(Object.keys(request?.headers ?? {}).sort(), [
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  test('of text or JSON is returned as it is, compressed or not, in its own character set', async (t) => {
    const server = await createWebServer(t, ({ url }, response) => {
      if (url === '/json')
        response.setHeader('content-type', 'application/problem+json').end('{"a":1}');
      if (url === '/gzip')
        response.writeHead(200, { ...TEXT, 'content-encoding': 'gzip' }).end(gzipSync('zipped'));
      if (url === '/br')
        response
          .writeHead(200, { ...TEXT, 'content-encoding': 'br' })
          .end(brotliCompressSync('brotli'));
      if (url === '/latin')
        response
          .writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' })
          .end(Buffer.from('é', 'latin1'));
      if (url === '/meta')
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(Buffer.from('<meta charset=windows-1252>é', 'latin1'));
      if (url === '/odd')
        response.writeHead(200, { 'content-type': 'text/plain; charset=klingon' }).end('odd é');
      if (url === '/none') response.writeHead(200, TEXT).end();
    });
    const pages = {
      json: '{"a":1}',
      gzip: 'zipped',
      br: 'brotli',
      latin: 'é',
      meta: 'é',
      odd: 'odd é',
      none: '(no text)',
    };
    for (const [path, text] of Object.entries(pages)) {
      const said = await run(fetchTool(), { url: server.at(`/${path}`) });
      assert.equal(said.split('\n').at(-2), text, path);
    }
  });

  test('is refused with the reason if it cannot be read as text', async (t) => {
    const server = await createWebServer(t, ({ url }, response) => {
      if (url === '/404') response.writeHead(404, HTML).end(PAGE);
      if (url === '/image') response.writeHead(200, { 'content-type': 'image/png' }).write('x');
      if (url === '/untyped') response.writeHead(200).end('x');
      if (url === '/zstd')
        response.writeHead(200, { ...TEXT, 'content-encoding': 'zstd' }).end('x');
      if (url === '/broken')
        response.writeHead(200, { ...TEXT, 'content-encoding': 'gzip' }).end('no gzip');
      if (url === '/headers')
        response.writeHead(200, { ...TEXT, 'x-much': 'x'.repeat(40_000) }).end('x');
      if (url === '/reset') response.socket?.destroy();
      if (url === '/101')
        response.writeHead(101, { connection: 'upgrade', upgrade: 'websocket' }).end();
    });
    const reasons: Readonly<Record<string, RegExp>> = {
      '/404': /answered 404 Not Found/,
      '/image': /of type image\/png; only HTML/,
      '/untyped': /without a content type/,
      '/zstd': /compressed in a way that can’t be read \(zstd\)/,
      '/broken': /incorrect header check/,
      '/headers': /more than 16 KB of headers/,
      '/reset': /closed the connection/,
      '/101': /answered 101: it wants to switch to another protocol/,
    };
    for (const [path, why] of Object.entries(reasons)) {
      await assert.rejects(run(fetchTool(), { url: server.at(path) }), why);
    }
    const nobody = fetchTool({
      resolve: async () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
    });
    await assert.rejects(run(nobody, { url: 'http://nobody.test/' }), /no such host/);
  });
});

describe('only public addresses', () => {
  test('a name that resolves to a private address is refused, and nothing is sent there', async (t) => {
    const server = await createWebServer(t, (_request, response) => response.end());
    const url = server.at('/', 'inside.test');
    await assert.rejects(
      run(fetchTool(), { url }),
      /inside\.test leads to 127\.0\.0\.2, which is not/,
    );
    assert.equal(server.requests.length, 0);
  });

  test('redirects are followed to public addresses only', async (t) => {
    const server = await createWebServer(t, ({ url = '' }, response) => {
      const [, to] = /^\/to\?(.*)$/.exec(url) ?? [];
      if (to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) }).end();
      else if (url === '/round') response.writeHead(307, { location: '/round' }).end();
      else if (url === '/nowhere') response.writeHead(301).end();
      else response.writeHead(200, TEXT).end(`at ${url}`);
    });
    const to = (url: string) => ({ url: server.at(`/to?${encodeURIComponent(url)}`) });
    const said = await run(fetchTool(), to(server.at('/end', 'other.test')));
    assert.match(said, /^http:\/\/other\.test:\d+\/end \(after one redirect\), text\/plain\n/);
    assert.match(said, /\nat \/end\n/);
    const before = server.requests.length;
    const refused: readonly (readonly [to: string, why: RegExp])[] = [
      [server.at('/x', 'inside.test'), /inside\.test leads to 127\.0\.0\.2/],
      [server.at('/x', '127.0.0.2'), /127\.0\.0\.2 is not an address/],
      [server.at('/x', '[::1]'), /\[::1\] is not an address/],
      ['http://a:b@page.test/', /user name or a password/],
      ['file:///etc/passwd', /Only http and https/],
      ['http://[', /redirects to an address that can’t be read/],
    ];
    for (const [target, why] of refused) await assert.rejects(run(fetchTool(), to(target)), why);
    assert.equal(server.requests.length, before + refused.length);
    await assert.rejects(run(fetchTool(), { url: server.at('/nowhere') }), /can’t be read/);
    await assert.rejects(run(fetchTool(), { url: server.at('/round') }), /more than 5 times/);
  });

  test('a name whose address changes is connected to at the checked address, and checked again at each redirect', async (t) => {
    const server = await createWebServer(t, ({ url }, response) => {
      if (url === '/') response.writeHead(302, { location: '/again' }).end();
      else response.writeHead(200, TEXT).end('inside');
    });
    let asked = 0;
    const changing = fetchTool({
      resolve: async () => {
        asked += 1;
        return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
      },
    });
    await assert.rejects(run(changing, { url: server.at('/') }), /leads to 127\.0\.0\.2/);
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ['/'],
    );
    assert.equal(asked, 2);
    // One lookup, used for the check and for the connection.
    asked = 0;
    await run(changing, { url: server.at('/again') });
    assert.equal(asked, 1);
  });

  test('the peer address is checked before anything is sent', async (t) => {
    const server = await createWebServer(t, (_request, response) => response.end());
    let looked = 0;
    const tool = fetchTool({
      isPublic: () => {
        looked += 1;
        return looked === 1;
      },
    });
    await assert.rejects(run(tool, { url: server.at('/') }), /leads to 127\.0\.0\.1, which is not/);
    assert.equal(server.requests.length, 0);
  });

  test('the default is the public internet: other addresses are refused without a request', () => {
    const tool = toTool(createFetchUrl({ clock: createSystemClock() }));
    const refused = [
      'http://127.0.0.1/',
      'http://a:b@example.com/',
      'https://example.com:25/',
      'ftp://example.com/',
      'nothing',
    ];
    for (const url of refused) assert.equal(tool.parse({ url }).ok, false, url);
    assert.equal(tool.parse({ url: 'https://example.com/' }).ok, true);
  });

  test('localhost is refused by the default resolver and check', async () => {
    const tool = toTool(createFetchUrl({ clock: createSystemClock() }));
    await assert.rejects(
      run(tool, { url: 'http://localhost/' }),
      /localhost leads to .*, which is not/,
    );
  });
});

test('the card shows the exact host, and that data is sent out, without a network request', async () => {
  const tool = fetchTool({ resolve: () => assert.fail('asked for a name') });
  assert.equal(
    (await tool.preview?.({ url: 'http://аpple.com/path?q=secret' }))?.text,
    [
      'Sends data out: the host receives the full address below and may store it.',
      'Host: xn--pple-43d.com, which is written аpple.com',
      'Scheme: http, not encrypted, port 80',
      'GET /path?q=secret',
    ].join('\n'),
  );
  assert.match(
    (await tool.preview?.({ url: 'https://example.com' }))?.text ?? '',
    /\nHost: example\.com\nScheme: https, encrypted, port 443\nGET \/$/,
  );
  assert.equal(tool.risk, 'medium');
});
