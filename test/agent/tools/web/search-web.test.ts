import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createSearchWeb } from '../../../../src/agent/tools/web/search-web.ts';
import { createSystemClock } from '../../../../src/process/system-clock.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { until } from '../../../support/until.ts';
import { createWebServer, run, toTool } from './web-server.ts';

const KEY = 'tvly-secret-key';
const RESULTS = [1, 2, 3].map((n) => ({
  title: `Title ${n}`,
  url: `https://site.test/${n}`,
  content: `Excerpt ${n}`,
  score: 0.5,
}));

async function createSearch(
  t: TestContext,
  listener: RequestListener,
  clock = createSystemClock(),
) {
  const server = await createWebServer(t, listener);
  const baseUrl = server.at('/api/', '127.0.0.1');
  return {
    server,
    baseUrl,
    tool: toTool(createSearchWeb({ apiKey: KEY, baseUrl, maxResults: 2 }, clock)),
  };
}

test('a search asks Tavily and lists title, address and excerpt as untrusted content', async (t) => {
  let body = '';
  const { server, tool } = await createSearch(t, (request, response) => {
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => response.end(JSON.stringify({ query: 'q', results: RESULTS })));
  });
  const said = await run(tool, { query: 'what is new' });
  assert.match(
    said,
    /^Untrusted content from a search of the web [\s\S]*\n1\. Title 1\nhttps:\/\/site\.test\/1\nExcerpt 1\n\n2\. Title 2\nhttps:\/\/site\.test\/2\nExcerpt 2\nuntrusted \w+>>>$/,
  );
  const [request] = server.requests;
  assert.deepEqual([request?.method, request?.url], ['POST', '/api/search']);
  assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
  assert.deepEqual(JSON.parse(body), { query: 'what is new', max_results: 2 });
});

test('an empty result is reported, and long excerpts are cut', async (t) => {
  let results: unknown = [];
  const { tool } = await createSearch(t, (_request, response) =>
    response.end(JSON.stringify({ results })),
  );
  assert.equal(await run(tool, { query: 'nothing' }), 'Nothing was found for “nothing”.');
  results = [{ title: 'T', url: 'u', content: `${'x'.repeat(1_499)}\ud83d\ude00` }];
  const said = await run(tool, { query: 'long' });
  assert.match(said, /x{1499}\ufffd…\n/);
});

const FAULTS: readonly (readonly [what: string, listener: RequestListener, why: RegExp])[] = [
  [
    'a wrong key',
    (_, response) => response.writeHead(401).end(KEY),
    /does not accept TAVILY_API_KEY/,
  ],
  ['too many requests', (_, response) => response.writeHead(429).end(), /too many requests/],
  ['a used-up plan', (_, response) => response.writeHead(432).end(), /plan .* is used up/],
  [
    'a failure of the service',
    (_, response) => response.writeHead(502).end(KEY),
    /the search service failed \(502\)/,
  ],
  [
    'a bad request',
    (_, response) => response.writeHead(400).end(KEY),
    /refused the request \(400\)/,
  ],
  [
    'an answer that is not JSON',
    (_, response) => response.end(`<html>${KEY}`),
    /in a form that can’t be read/,
  ],
  [
    'unexpected JSON',
    (_, response) => response.end('{"results":[{}]}'),
    /in a form that can’t be read/,
  ],
  ['a too large answer', (_, response) => response.end('x'.repeat(3e6)), /answer is too large/],
  ['a broken connection', (_, response) => response.socket?.destroy(), /can’t be reached/],
];
for (const [what, listener, why] of FAULTS) {
  test(`${what} is reported clearly, and never with the key`, async (t) => {
    const { tool } = await createSearch(t, listener);
    await assert.rejects(run(tool, { query: 'q' }), (error: Error) => {
      assert.match(error.message, why);
      assert.doesNotMatch(`${error.stack} ${JSON.stringify(error.cause ?? '')}`, new RegExp(KEY));
      return true;
    });
  });
}

test('the key is never sent to a redirect', async (t) => {
  const { server, tool } = await createSearch(t, (request, response) => {
    if (request.url === '/api/search') response.writeHead(307, { location: '/other' }).end();
    else response.end(JSON.stringify({ results: RESULTS }));
  });
  await assert.rejects(run(tool, { query: 'q' }), /can’t be reached/);
  assert.equal(server.requests.length, 1);
});

test('a timeout and a stop both end the search', async (t) => {
  const clock = createManualClock();
  const { server, tool } = await createSearch(t, () => {}, clock);
  const late = run(tool, { query: 'q' });
  await until(() => server.requests.length === 1);
  await Promise.all([assert.rejects(late, /did not answer within 20 s/), clock.advance(20_000)]);
  const stop = new AbortController();
  const stopped = run(tool, { query: 'q' }, stop.signal);
  await until(() => server.requests.length === 2);
  stop.abort(new Error('stopped'));
  await assert.rejects(stopped, /stopped/);
  assert.equal(clock.pendingCount, 0);
});

test('the card shows the query and its destination', async (t) => {
  const { baseUrl, tool } = await createSearch(t, () => {});
  assert.equal(
    (await tool.preview?.({ query: 'our plans' }))?.text,
    `Sends data out: the search service at ${new URL(baseUrl).host} receives this query and may store it.\nour plans`,
  );
  assert.equal(tool.parse({ query: '' }).ok, false);
  assert.doesNotMatch(JSON.stringify(tool), new RegExp(KEY));
});
