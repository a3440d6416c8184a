/** Any request to the app, signed or not: never an internal error, and no change. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

/** Sent at the same time, since Bolt takes three seconds for a request without an acknowledgement. */
const RUNS = 4;
const AT_ONCE = 40;
const ROUTES = [
  '/slack/events',
  '/healthz',
  '/readyz',
  '/',
  '/slack/events?x=1',
  '/api/approvals',
  '/%00',
];
/** Actions that decide something if they have the right origin and token. */
const ACTIONS = [
  'call.approve',
  'call.ignore',
  'call.edit',
  'call.reply',
  'call.open',
  'call.settle-ran',
  'turn.stop',
  'x',
];

describe('the HTTP endpoint of the app', () => {
  let stage: FieldStage;
  let token = '';
  let card: { channel: string; ts: string };
  before(async () => {
    stage = await setFieldStage('http', { LOG_LEVEL: 'warn' });
    stage.play(sayCall('note', { text: 'untouched' }));
    const place = await stage.ask('requester', 'note it');
    card = await stage.card(place, 'untouched', 'Waiting for a decision');
    token = /"value":"(call_[^"]+)"/.exec(JSON.stringify(card))?.[1] ?? '';
    assert.notEqual(token, '');
    await stage.settled();
  });
  after(() => stage.close());

  async function sendRequest(
    path: string,
    body: string,
    headers: Record<string, string>,
    method = 'POST',
  ) {
    const answer = await fetch(`${stage.app().url}${path}`, {
      method,
      headers,
      ...(method === 'POST' && { body }),
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  async function sendSigned(body: string, type: string): Promise<number> {
    const ts = String(Math.floor(Date.now() / 1_000));
    const mac = createHmac('sha256', stage.workspace.signingSecret).update(`v0:${ts}:${body}`);
    return await sendRequest('/slack/events', body, {
      'content-type': type,
      'x-slack-request-timestamp': ts,
      'x-slack-signature': `v0=${mac.digest('hex')}`,
    });
  }

  const state = () => ({
    calls: stage.sql('SELECT id, status, revision FROM calls'),
    inbox: stage.sql('SELECT id, state FROM inbox'),
    turns: stage.sql('SELECT id FROM turns'),
    pause: stage.sql('SELECT * FROM switches'),
    decisions: stage.sql(
      `SELECT seq FROM audit WHERE event NOT IN ('edge.refuse', 'control.not-allowed')`,
    ),
  });

  async function assertUnmoved(check: () => Promise<unknown>): Promise<void> {
    const before = state();
    await check();
    await stage.settled();
    assert.deepEqual(state(), before);
    assert.equal((await fetch(`${stage.app().url}/readyz`)).status, 200);
    assert.doesNotMatch(stage.app().output(), /unhandled|uncaught|"level":60/i);
  }

  /** A value for a field of a payload: something typical of Slack, or anything. */
  function anyField(): fc.Arbitrary<unknown> {
    return fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(
        '',
        null,
        token,
        `${token}x`,
        'T0OTHER',
        stage.workspace.team.id,
        '__proto__',
      ),
      fc.record({
        id: fc.oneof(fc.string(), fc.constantFrom('T0OTHER', 'U0NOBODY')),
        team_id: fc.constant('T0OTHER'),
      }),
    );
  }

  /** A payload as Slack sends it, from somebody without permissions, with some fields corrupted. */
  function anyInteraction(): fc.Arbitrary<Record<string, unknown>> {
    const stranger = { id: 'U0STRANGER', team_id: 'T0OTHER' };
    const good = {
      type: fc.constantFrom<unknown>(
        'block_actions',
        'view_submission',
        'view_closed',
        'block_suggestion',
        'shortcut',
        'message_action',
        'x',
        7,
      ),
      api_app_id: fc.constantFrom<unknown>(stage.workspace.app.id, 'A0OTHER', null),
      team: fc.constant<unknown>({ id: stage.workspace.team.id }),
      user: fc.constant<unknown>(stranger),
      container: fc.constant<unknown>({
        type: 'message',
        message_ts: card.ts,
        channel_id: card.channel,
      }),
      actions: fc.array(
        fc.record({
          type: fc.constantFrom('button', 'static_select', 'overflow'),
          action_id: fc.constantFrom(...ACTIONS),
          block_id: fc.string(),
          value: fc.constantFrom(token, 'x', ''),
          action_ts: fc.constant('1.1'),
        }),
        { maxLength: 3 },
      ) as fc.Arbitrary<unknown>,
      view: fc.constantFrom<unknown>(undefined, {
        id: 'V1',
        callback_id: 'call.edit.submit',
        private_metadata: token,
        state: { values: {} },
      }),
      trigger_id: fc.constant<unknown>('1.1'),
    };
    const spoiled = fc.dictionary(
      fc.constantFrom(...Object.keys(good).filter((key) => key !== 'user')),
      anyField(),
      { maxKeys: 2 },
    );
    return fc.tuple(fc.record(good), spoiled).map(([payload, wrong]) => ({ ...payload, ...wrong }));
  }

  /** Events of all kinds of Slack, from bots, strangers and nobody, in the wrong place. */
  function anyEvent(): fc.Arbitrary<Record<string, unknown>> {
    return fc.record({
      type: fc.constantFrom<unknown>(
        'event_callback',
        'url_verification',
        'app_rate_limited',
        'x',
        null,
      ),
      challenge: anyField(),
      api_app_id: fc.constant(stage.workspace.app.id),
      team_id: fc.constantFrom<unknown>(stage.workspace.team.id, 'T0OTHER', 5),
      event_id: anyField(),
      event: fc.oneof(
        anyField(),
        fc.record({
          type: fc.constantFrom<unknown>(
            'message',
            'app_mention',
            'app_home_opened',
            'assistant_thread_started',
            'reaction_added',
            7,
          ),
          subtype: fc.constantFrom(
            'bot_message',
            'message_changed',
            'message_deleted',
            'channel_join',
          ),
          user: fc.oneof(fc.constant<unknown>(undefined), anyField()),
          bot_id: fc.constant('B0OTHER'),
          channel: anyField(),
          text: anyField(),
          ts: anyField(),
          thread_ts: anyField(),
          message: anyField(),
        }),
      ),
    });
  }

  function checkProperty<T>(one: fc.Arbitrary<T>, check: (value: T) => Promise<void>) {
    return fc.asyncProperty(
      fc.array(one, { minLength: 1, maxLength: AT_ONCE, size: 'max' }),
      async (all) => {
        await Promise.all(
          all.map((each) =>
            check(each).catch((error: unknown) => {
              const log = stage.app().output().slice(-1_500);
              throw new Error(`${JSON.stringify(each)}: ${String(error)}\n${log}`);
            }),
          ),
        );
      },
    );
  }

  it('survives signed interactions of any shape', async () => {
    await assertUnmoved(() =>
      fc.assert(
        checkProperty(anyInteraction(), async (payload) => {
          const body = `payload=${encodeURIComponent(JSON.stringify(payload))}`;
          const status = await sendSigned(body, 'application/x-www-form-urlencoded');
          assert.ok(status < 500, `${status}`);
        }),
        { numRuns: RUNS, endOnFailure: true },
      ),
    );
  });

  it('survives signed events of any shape', async () => {
    await assertUnmoved(() =>
      fc.assert(
        checkProperty(anyEvent(), async (event) => {
          const status = await sendSigned(JSON.stringify(event), 'application/json');
          assert.ok(status < 500, `${status}`);
        }),
        { numRuns: RUNS, endOnFailure: true },
      ),
    );
  });

  it('survives signed bodies of any bytes', async () => {
    const body = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.webQueryParameters(),
      fc.constant('payload=null'),
      fc.constant('payload=%7B'),
      fc.constant('command=/countersign'),
    );
    const type = fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      'x',
    );
    await assertUnmoved(() =>
      fc.assert(
        checkProperty(fc.tuple(body, type), async ([text, kind]) => {
          const status = await sendSigned(text, kind);
          assert.ok(status < 500, `${status}`);
        }),
        { numRuns: RUNS, endOnFailure: true },
      ),
    );
  });

  it('survives unsigned requests of any kind', async () => {
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS');
    await assertUnmoved(() =>
      fc.assert(
        checkProperty(
          fc.tuple(fc.constantFrom(...ROUTES), method, fc.string()),
          async ([path, verb, text]) => {
            const status = await sendRequest(path, text, { 'x-slack-signature': 'v0=00' }, verb);
            assert.ok(status < 500, `${verb} ${path}: ${status}`);
            assert.ok(status >= 400 || verb !== 'POST', `${verb} ${path}: ${status}`);
          },
        ),
        { numRuns: RUNS, endOnFailure: true },
      ),
    );
  });
});
