/** search_web, from the model request to the continued thread: what it sends, and how it handles responses. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { KEY, redirectTo, setWebStage, type WebAnswer, type WebStage } from './web-stage.ts';

describe('search_web in the real app', () => {
  let stage: WebStage;
  before(async () => {
    stage = await setWebStage();
  });
  after(() => stage.close());

  const search = (how: WebAnswer) => stage.approved('search_web', { query: 'our plans' }, how);

  it('shows where the query goes, and returns the results as untrusted', async () => {
    const results = [1, 2, 3].map((n) => ({
      title: `Title ${n}`,
      url: `https://site.test/${n}`,
      content: `Excerpt ${n}`,
    }));
    const call = await search((_, response) => response.end(JSON.stringify({ results })));
    assert.match(
      call.before,
      /Sends data out: the search service at 127\.0\.0\.1:\d+ receives this query/,
    );
    assert.match(call.before, /our plans/);
    assert.deepEqual(call.requests, ['127.0.0.1 /tavily/search']);
    assert.equal(stage.server.requests.at(-1)?.headers.authorization, `Bearer ${KEY}`);
    assert.match(call.told, /^Untrusted content from a search of the web[\s\S]*2\. Title 2\n/);
    assert.doesNotMatch(call.told, /Title 3/);
  });

  it('sends nothing if ignored or without a query', async () => {
    const from = stage.reached.length;
    await stage.calls.ignored('search_web', { query: 'our plans' });
    const { told } = await stage.calls.unasked('search_web', { query: '' });
    assert.match(told, /^Not run: [\s\S]*- query: /);
    assert.equal(stage.reached.length, from);
  });

  const FAULTS: readonly (readonly [what: string, how: WebAnswer, why: RegExp])[] = [
    [
      'a wrong key',
      (_, response) => response.writeHead(401).end(KEY),
      /does not accept TAVILY_API_KEY/,
    ],
    ['too many requests', (_, response) => response.writeHead(429).end(KEY), /too many requests/],
    ['no JSON', (_, response) => response.end(`<html>${KEY}`), /in a form that can’t be read/],
    [
      'other JSON',
      (_, response) => response.end('{"results":[{}]}'),
      /in a form that can’t be read/,
    ],
    [
      'far too much',
      (_, response) => response.end(Buffer.alloc(100e6, 'x')),
      /answer is too large/,
    ],
    ['a redirect', redirectTo('/elsewhere'), /can’t be reached/],
    ['a broken connection', (_, response) => response.socket?.destroy(), /can’t be reached/],
  ];
  for (const [what, how, why] of FAULTS) {
    it(`shows ${what} on the card and to the model, and the key to nobody`, async () => {
      const { told, after: seen, requests } = await search(how);
      assert.match(told, new RegExp(`^search_web failed: .*${why.source}`));
      assert.match(seen, why);
      assert.deepEqual(requests, ['127.0.0.1 /tavily/search']);
      const said = [stage.model.requests, stage.workspace.see('requester').messages];
      assert.ok(!JSON.stringify(said).includes(KEY), 'The key was told.');
      assert.ok(!stage.app().output().includes(KEY), 'The key is in the log.');
    });
  }
});
