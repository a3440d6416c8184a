import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WebClient } from '@slack/web-api';
import type { Attachment } from '../../../src/domain/threads/message.ts';
import { createAttachmentSource } from '../../../src/slack/files/fetch-file.ts';
import { isSlackUrl } from '../../../src/slack/files/slack-hosts.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const SIGNAL = new AbortController().signal;
const MAX = 1_000;
const TOKEN = 'xoxb-secret';

describe('fetching an attached file', () => {
  const seen: { path: string; token: string | undefined }[] = [];
  const clock = createManualClock();
  let answer: Answer;
  let info: object;
  let origin = '';
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/api/files.info') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(info));
      return;
    }
    seen.push({ path, token: request.headers.authorization });
    answer(request, response);
  });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => seen.splice(0));
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function fetchIt(patch: Partial<Attachment> = {}, signal = SIGNAL) {
    const apiUrl = `${origin}/api/`;
    const client = new WebClient(TOKEN, { slackApiUrl: apiUrl, retryConfig: { retries: 0 } });
    const silent = () => {};
    const source = createAttachmentSource({
      connection: { client, config: { botToken: TOKEN, apiUrl } },
      clock,
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
    const file = { id: 'F1', name: 'a.txt', mimeType: 'text/plain', size: 3, url: `${origin}/a` };
    return source.fetch({ ...file, ...patch }, { maxBytes: MAX, signal });
  }

  const withoutUrl = { url: undefined as never };
  const body =
    (status: number, text: string | Buffer, headers: Record<string, string> = {}): Answer =>
    (_request, response) =>
      void response.writeHead(status, headers).end(text);

  it('returns the bytes unchanged, and sends the token to Slack', async () => {
    answer = body(200, Buffer.from([0, 255]));
    assert.deepEqual(await fetchIt(), { kind: 'bytes', bytes: Buffer.from([0, 255]) });
    assert.deepEqual(seen, [{ path: '/a', token: `Bearer ${TOKEN}` }]);
  });

  it('counts the received bytes, whatever size was declared', async () => {
    answer = body(200, 'x'.repeat(MAX));
    assert.equal((await fetchIt()).kind, 'bytes');
    answer = (_request, response) => {
      response.writeHead(200);
      // Endless: a fetch that waits for its end never returns.
      response.write('x'.repeat(MAX + 1));
    };
    const refused = await fetchIt();
    assert.match(JSON.stringify(refused), /it is larger than/);
  });

  const html = { 'content-type': 'text/html; charset=utf-8' };
  const page = '<!DOCTYPE html><a href="https://slack.com/signin">Sign in</a>';
  for (const [what, given, patch] of [
    ['shows its sign-in page', body(200, page, html), {}],
    ['shows it in place of a page', body(200, page, html), { mimeType: 'text/html', size: 9 }],
    ['redirects to it', body(302, '', { location: '/elsewhere' }), {}],
    ['says 403', body(403, 'no'), {}],
  ] as const) {
    it(`names the missing scope when Slack ${what}, and follows no link`, async () => {
      answer = given;
      assert.match(JSON.stringify(await fetchIt(patch)), /refused.*files:read/);
      assert.deepEqual(
        seen.map(({ path }) => path),
        ['/a'],
      );
    });
  }

  it('returns an attached HTML page', async () => {
    answer = body(200, page, html);
    const size = Buffer.byteLength(page);
    assert.equal((await fetchIt({ mimeType: 'text/html', size })).kind, 'bytes');
  });

  for (const url of [
    'http://files.slack.com/a',
    'https://slack.com.evil.test/a',
    'https://evil.test/slack.com',
    'file:///etc/passwd',
    'nonsense',
  ]) {
    it(`sends nothing to ${url}`, async () => {
      assert.match(JSON.stringify(await fetchIt({ url })), /outside Slack/);
      assert.deepEqual(seen, []);
    });
  }

  for (const [asked, retryAfterMs] of [
    ['7', 7_000],
    ['0', 1_000],
    ['99999999999', 600_000],
    ['soon', 30_000],
  ] as const) {
    it(`waits a bounded time when Slack asks for ${asked} seconds`, async () => {
      answer = body(429, '', { 'retry-after': asked });
      await assert.rejects(fetchIt(), { name: 'ChatError', code: 'rate-limited', retryAfterMs });
    });
  }

  for (const [what, given, code] of [
    ['answers with 429', body(429, '', { 'retry-after': '7' }), 'rate-limited'],
    ['answers with 503', body(503, ''), 'temporary'],
    [
      'cuts the connection',
      (request: IncomingMessage) => void request.socket.destroy(),
      'temporary',
    ],
    [
      'cuts the file',
      (_request: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '50' });
        response.write('half', () => response.destroy());
      },
      'temporary',
    ],
  ] as const) {
    it(`throws a retryable error when Slack ${what}`, async () => {
      answer = given;
      const retryAfterMs = code === 'rate-limited' ? 7_000 : undefined;
      await assert.rejects(fetchIt(), { name: 'ChatError', code, retryAfterMs });
    });
  }

  it('waits a minute for the whole file, and aborts at once with its signal', async () => {
    answer = (_request, response) => void response.writeHead(200).write('x');
    const slow = fetchIt();
    const late = assert.rejects(slow, { name: 'ChatError', code: 'temporary' });
    await until(() => seen.length === 1);
    await clock.advance(60_000);
    await late;
    const abort = new AbortController();
    const stopped = assert.rejects(fetchIt({}, abort.signal), { message: 'The process ends.' });
    await until(() => seen.length === 2);
    abort.abort(new Error('The process ends.'));
    await stopped;
    assert.equal(clock.pendingCount, 0);
  });

  it('looks a file without an address up, and then fetches it', async () => {
    answer = body(200, 'abc');
    info = { ok: true, file: { id: 'F1', file_access: 'visible', url_private: `${origin}/found` } };
    assert.equal((await fetchIt(withoutUrl)).kind, 'bytes');
    assert.equal(seen[0]?.path, '/found');
  });

  for (const [what, given, why] of [
    [
      'a file that lies elsewhere',
      { ok: true, file: { mode: 'external', url_private: 'https://drive.test' } },
      /outside Slack/,
    ],
    ['a deleted file', { ok: true, file: { mode: 'tombstone' } }, /was deleted/],
    ['a file that is gone', { ok: false, error: 'file_not_found' }, /no longer in Slack/],
    [
      'a file beyond the plan',
      { ok: true, file: { mode: 'hidden_by_limit' } },
      /limit of its plan/,
    ],
    ['a file that may not be looked up', { ok: false, error: 'missing_scope' }, /files:read/],
    ['an unknown error', { ok: false, error: 'some_new_error' }, /some_new_error/],
    [
      'a file that stays withheld',
      {
        ok: true,
        file: { file_access: 'check_file_info', url_private: 'https://files.slack.com/a' },
      },
      /does not let me download it/,
    ],
  ] as const) {
    it(`refuses ${what}, with the reason`, async () => {
      info = given;
      assert.match(JSON.stringify(await fetchIt(withoutUrl)), why);
      assert.deepEqual(seen, []);
    });
  }

  it('throws a retryable error when the look-up fails temporarily', async () => {
    info = { ok: false, error: 'internal_error' };
    await assert.rejects(fetchIt(withoutUrl), { name: 'ChatError', code: 'temporary' });
  });
});

describe('addresses that receive the token', () => {
  const GOV = 'https://slack-gov.com/api/';
  for (const [url, apiUrl, is] of [
    ['https://files.slack.com/a', undefined, true],
    ['https://team.enterprise.slack.com/a', undefined, true],
    ['https://files.slack-gov.com/a', GOV, true],
    ['https://files.slack-gov.com/a', undefined, false],
    ['https://slack.com/a', undefined, true],
    ['https://notslack.com/a', undefined, false],
    ['https://files.slack.com:8443/a', undefined, false],
    ['https://files.slack.com@evil.test/a', undefined, false],
    ['https://user:pass@files.slack.com/a', undefined, false],
    ['http://127.0.0.1:1234/a', 'http://127.0.0.1:1234/api/', true],
    ['http://127.0.0.1:1235/a', 'http://127.0.0.1:1234/api/', false],
  ] as const) {
    it(`${is ? 'include' : 'exclude'} ${url} with ${apiUrl ?? 'Slack'}`, () => {
      assert.equal(isSlackUrl(url, apiUrl), is);
    });
  }
});
