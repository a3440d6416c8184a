/** Requests to the HTTP endpoint of the app that `npm start` runs. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { isWhole } from '../../../support/sample.ts';
import { sayText } from '../../../support/servers/mock-model.ts';
import { type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';

/** Each batch is fifty requests at once. */
const BATCHES = isWhole ? 20 : 4;

describe('the HTTP endpoint of Slack', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('http');
  });
  after(() => stage.close());

  const nowS = () => Math.floor(Date.now() / 1_000);
  const sign = (body: string, ts: number, secret = stage.workspace.signingSecret) =>
    `v0=${createHmac('sha256', secret).update(`v0:${ts}:${body}`).digest('hex')}`;

  async function send(body: string, headers: HeadersInit = {}): Promise<number> {
    const type = body.startsWith('{') ? 'json' : 'x-www-form-urlencoded';
    const answer = await fetch(`${stage.app().url}/slack/events`, {
      method: 'POST',
      headers: { 'content-type': `application/${type}`, ...headers },
      body,
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  const signed = (body: string, ts = nowS(), secret?: string) => ({
    'x-slack-request-timestamp': String(ts),
    'x-slack-signature': sign(body, ts, secret),
  });

  let mentions = 0;
  function mentionBody(): string {
    mentions += 1;
    const ts = `1700000000.${String(mentions).padStart(6, '0')}`;
    const { id: user } = stage.workspace.member('requester');
    const { id: channel } = stage.workspace.channel('general');
    const event = { type: 'app_mention', user, channel, ts, event_ts: ts, text: 'hi' };
    const { app, team } = stage.workspace;
    return JSON.stringify({
      type: 'event_callback',
      api_app_id: app.id,
      team_id: team.id,
      event_id: `Ev${mentions}`,
      event,
    });
  }

  const stored = () =>
    stage.sql('SELECT id FROM inbox').length + stage.sql('SELECT seq FROM audit').length;

  async function refuses(body: string, headers: HeadersInit, status: number): Promise<void> {
    const before = stored();
    assert.equal(await send(body, headers), status);
    assert.equal(stored(), before);
  }

  it(`accepts the same signed bytes ${50 * BATCHES} times, and decides once`, async () => {
    stage.play(sayCall('note', { text: 'once' }), sayText('It is noted.'));
    const place = await stage.ask('requester', 'note it');
    const card = await stage.card(place, 'once', 'Waiting for a decision');
    await stage.settled();
    await stage.press('outsider', card, 'call.approve');
    const press = stage.workspace.journal.findLast(({ name }) => name === 'block_actions');
    const { id, teamId } = stage.workspace.member('requester');
    const payload = { ...(press?.request as object), user: { id, team_id: teamId } };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const headers = signed(body);
    const statuses: number[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const sending = Array.from({ length: 50 }, () => send(body, headers));
      statuses.push(...(await Promise.all(sending)));
    }
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [],
    );
    await stage.answer(place, 'It is noted.');
    assert.equal((await stage.runs()).filter(({ tool }) => tool === 'note').length, 1);
    assert.equal(stage.audit('call.approve').length, 1);
  });

  it('accepts a message of the same signed bytes once', async () => {
    stage.play(sayText('Hello, once.'));
    const body = mentionBody();
    const headers = signed(body);
    const statuses = await Promise.all(Array.from({ length: 50 }, () => send(body, headers)));
    assert.ok(statuses.every((status) => status === 200));
    await stage.workspace.waitFor(() =>
      stage
        .apiCalls('chat.postMessage')
        .find(({ request }) => JSON.stringify(request).includes('Hello, once.')),
    );
    await stage.settled();
    assert.deepEqual(stage.model.refusals, []);
  });

  it('refuses a request 301 seconds in the past or future, and accepts 290', async () => {
    stage.model.script(() => sayText('In time.'));
    for (const away of [-301, 302, -86_400, 86_400]) {
      const body = mentionBody();
      await refuses(body, signed(body, nowS() + away), 401);
    }
    for (const away of [-290, 290]) {
      const body = mentionBody();
      assert.equal(await send(body, signed(body, nowS() + away)), 200);
    }
    await stage.settled();
  });

  it('refuses unsigned, wrongly signed, smuggled and oversized requests, and stores nothing', async () => {
    const body = mentionBody();
    const ssl = 'ssl_check=1&payload=%7B%22type%22%3A%22block_actions%22%7D';
    const { 'x-slack-signature': signature, ...onlyTime } = signed(body);
    await refuses(body, {}, 401);
    await refuses(body, onlyTime, 401);
    await refuses(body, { 'x-slack-signature': signature }, 401);
    await refuses(body, signed(body, nowS(), 'another secret'), 401);
    await refuses(body, signed(body, nowS(), ''), 401);
    await refuses(body, { ...onlyTime, 'x-slack-signature': signature.replace('v0=', 'v1=') }, 401);
    await refuses(`${body} `, signed(body), 401);
    await refuses(ssl, {}, 401);
    await refuses(ssl, signed(body), 401);
    const twice = new Headers(signed(body));
    twice.append('x-slack-signature', signature);
    await refuses(body, twice, 401);
    const large = JSON.stringify({ type: 'event_callback', pad: 'x'.repeat(5_000_000) });
    await refuses(large, signed(large), 413);
  });

  it('reports its state at /healthz and /readyz', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await fetch(`${stage.app().url}${path}`);
      assert.equal(answer.status, 200, await answer.text());
    }
    assert.equal((await fetch(`${stage.app().url}/metrics-of-nobody`)).status, 404);
  });
});
