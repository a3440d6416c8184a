/** Slack's requests over real HTTP, with the real Bolt receiver behind. */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WebClient } from '@slack/web-api';
import { buildToolbox } from '../../src/domain/tools/toolbox.ts';
import { createServer, type HttpServer } from '../../src/http/create-server.ts';
import { createSystemClock } from '../../src/process/system-clock.ts';
import { createSlackApp } from '../../src/slack/create-slack-app.ts';
import { createFakeDesk } from '../slack/support/fake-desk.ts';
import { createTestDirectory } from '../support/builders/a-directory.ts';
import { createMemoryDrafts } from '../support/builders/memory-drafts.ts';
import { NO_ROUTES } from '../support/builders/no-routes.ts';
import { NO_TOOLS } from '../support/builders/no-tools.ts';
import { TEST_MARK } from '../support/test-secret-mark.ts';

const SECRET = 'shhh';
const clock = createSystemClock();
const desk = createFakeDesk();
const warned: string[] = [];
const log = {
  debug() {},
  info() {},
  warn: (_fields: object, text: string) => void warned.push(text),
  error() {},
};
const connection = {
  config: { botToken: 'xoxb-test', signingSecret: SECRET },
  client: new WebClient('xoxb-test', { slackApiUrl: 'http://127.0.0.1:9/api/' }),
  identity: { team: 'T1', botUserId: 'UBOT', botId: 'B1', appId: 'A1' },
};
const toolbox = buildToolbox([]);
const drafts = createMemoryDrafts();

describe('a request from Slack', () => {
  let server: HttpServer;
  before(async () => {
    const cardOf = async () => undefined;
    const app = createSlackApp({
      routes: NO_ROUTES,
      tools: NO_TOOLS,
      directory: createTestDirectory(),
      connection,
      desk,
      toolbox,
      mark: TEST_MARK,
      cardOf,
      drafts,
      clock,
      log,
    });
    assert.ok(app.requestListener);
    server = await createServer({
      host: '127.0.0.1',
      port: 0,
      clock,
      log,
      checks: {},
      slackListener: app.requestListener,
      warnings: async () => app.refused?.warnings() ?? [],
      onSlackSkew: app.refused?.noteSkew,
    });
  });
  after(() => server.close());
  beforeEach(() => {
    desk.received.length = 0;
    desk.broken = false;
  });

  let sent = 0;
  let said = '';
  const event = () => {
    sent += 1;
    const message = {
      type: 'app_mention',
      channel: 'C1',
      user: 'U1',
      ts: `170000.${sent}`,
      text: 'hi',
    };
    return JSON.stringify({
      type: 'event_callback',
      api_app_id: 'A1',
      team_id: 'T1',
      event: message,
    });
  };
  const sign = (body: string, ts: number | string, secret = SECRET) =>
    `v0=${createHmac('sha256', secret).update(`v0:${ts}:${body}`).digest('hex')}`;
  const nowS = () => Math.floor(clock.now() / 1_000);

  async function send(
    body: string,
    {
      ts = nowS(),
      signature = [sign(body, ts)],
      type = 'application/json',
      chunked = false,
    }: { ts?: number | string; signature?: string[]; type?: string; chunked?: boolean } = {},
  ): Promise<number> {
    const sending = request(`${server.url}/slack/events`, {
      method: 'POST',
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': String(ts),
        'x-slack-signature': signature,
        ...(!chunked && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    // The server may respond and close the connection before it has read the whole body.
    sending.on('error', () => {});
    sending.end(body);
    const [response] = await once(sending, 'response');
    said = '';
    for await (const chunk of response) said += String(chunk);
    return response.statusCode;
  }

  it('that is refused logs whether signature or time is wrong, once a minute, until one is accepted', async () => {
    const readiness = async () => {
      const { warnings = [] } = (await (await fetch(`${server.url}/readyz`)).json()) as {
        warnings?: string[];
      };
      return warnings.join();
    };
    warned.length = 0;
    const body = event();
    for (let times = 0; times < 3; times += 1) {
      assert.equal(await send(body, { signature: [sign(body, nowS(), 'another')] }), 401);
    }
    assert.match(await readiness(), /SLACK_SIGNING_SECRET.*Basic Information/);
    const late = nowS() - 360;
    assert.equal(await send(body, { ts: late, signature: [sign(body, late)] }), 401);
    assert.match(await readiness(), /clock is 6 minutes ahead of.*NTP/);
    assert.deepEqual(
      warned.map((text) => /SECRET|clock/.exec(text)?.[0]),
      ['SECRET', 'clock'],
    );
    assert.equal(await send(body), 200);
    assert.equal(await readiness(), '');
  });

  it('that is signed and in time is accepted', async () => {
    assert.equal(await send(event()), 200);
    assert.equal(desk.received.length, 1);
  });

  it('that sends a challenge gets it back', async () => {
    assert.equal(await send(JSON.stringify({ type: 'url_verification', challenge: 'c' })), 200);
  });

  const ssl = 'ssl_check=1&payload=%7B%22type%22%3A%22block_actions%22%7D';
  const form = 'application/x-www-form-urlencoded';
  const refused: readonly [string, () => Promise<number>, number][] = [
    ['from 301 s ago', () => send(event(), { ts: nowS() - 301 }), 401],
    ['from 302 s ahead', () => send(event(), { ts: nowS() + 302 }), 401],
    ['without a time', () => send(event(), { ts: 'soon' }), 401],
    ['without a signature', () => send(event(), { signature: [] }), 401],
    [
      'with a wrong secret',
      () => {
        const body = event();
        return send(body, { signature: [sign(body, nowS(), 'other')] });
      },
      401,
    ],
    [
      'with an empty secret',
      () => {
        const body = event();
        return send(body, { signature: [sign(body, nowS(), '')] });
      },
      401,
    ],
    [
      'with two signatures',
      () => {
        const body = event();
        return send(body, { signature: [sign(body, nowS()), sign(body, nowS())] });
      },
      401,
    ],
    [
      'with another body than was signed',
      () => {
        const ts = nowS();
        return send(event(), { ts, signature: [sign('{}', ts)] });
      },
      401,
    ],
    ['as an unsigned ssl_check', () => send(ssl, { type: form, signature: [] }), 401],
    ['as a wrongly signed ssl_check', () => send(ssl, { type: form, signature: ['v0=00'] }), 401],
    ['of five megabytes', () => send('x'.repeat(5_000_000)), 413],
    ['of five megabytes in chunks', () => send('x'.repeat(5_000_000), { chunked: true }), 413],
  ];
  for (const [what, sendIt, status] of refused) {
    it(`${what} is answered with ${status}, and nothing is stored`, async () => {
      assert.equal(await sendIt(), status);
      assert.equal(desk.received.length, 0);
    });
  }

  it('with two signatures is refused for their number, before they are checked', async () => {
    const body = event();
    await send(body, { signature: [sign(body, nowS()), sign(body, nowS())] });
    assert.match(said, /one x-slack-signature header, not 2/);
  });

  it('that can’t be stored is not acknowledged, so that Slack retries it', async () => {
    desk.broken = true;
    assert.equal(await send(event()), 503);
  });

  it('is never accepted with an empty signing secret: the start is refused', () => {
    const config = { botToken: 'xoxb-test', signingSecret: ' ' };
    const cardOf = async () => undefined;
    const deps = { desk, toolbox, mark: TEST_MARK, cardOf, drafts, clock, log };
    assert.throws(
      () =>
        createSlackApp({
          ...deps,
          routes: NO_ROUTES,
          tools: NO_TOOLS,
          directory: createTestDirectory(),
          connection: { ...connection, config },
        }),
      /SLACK_SIGNING_SECRET/,
    );
  });
});
