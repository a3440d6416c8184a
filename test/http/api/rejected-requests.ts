import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ApiBench, CALL } from './api-bench.ts';
import { OWNER, type Wish } from './api-stage.ts';

const STANDINGS = [
  ['U0LEFT', 'gone'],
  ['U0BOT', 'bot'],
  ['U0FAR', 'stranger'],
] as const;

/** Refused requests, and that they have no effect. */
export function refusingTests(bench: ApiBench): void {
  // A request, and its expected response.
  const bomb = (depth: number) =>
    `{"action":"x","args":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
  const REFUSED: readonly (readonly [what: string, request: Wish, status: number, says: RegExp])[] =
    [
      ...['status', 'approved', 'approvers', 'id', 'digest', 'owner', 'votes', 'key'].map(
        (field) =>
          [
            `the field ${field}`,
            { body: { ...CALL, [field]: true } },
            400,
            new RegExp(`\`${field}\` is not a known field`),
          ] as const,
      ),
      ['__proto__', { raw: '{"action":"x","args":{},"__proto__":{"a":1}}' }, 400, /__proto__/],
      ['__proto__ deeper', { raw: '{"action":"x","args":{"__proto__":{}}}' }, 400, /__proto__/],
      ['a key twice', { raw: '{"action":"x","action":"y","args":{}}' }, 400, /twice/],
      [
        'a number that loses digits',
        { raw: '{"action":"x","args":{"n":9007199254740993}}' },
        400,
        /lose digits/,
      ],
      ['1e400', { raw: '{"action":"x","args":{"n":1e400}}' }, 400, /lose digits/],
      ['half a character', { raw: '{"action":"x","args":{"s":"\\ud800"}}' }, 400, /surrogate/],
      ['bytes that are no text', { raw: new Uint8Array([0x7b, 0xff, 0x7d]) }, 400, /UTF-8/],
      ['33 levels', { raw: bomb(33) }, 400, /32 levels/],
      ['10,000 levels', { raw: bomb(10_000) }, 400, /32 levels/],
      [
        '1,001 keys',
        {
          body: {
            action: 'x',
            args: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, 1])),
          },
        },
        400,
        /1000 keys/,
      ],
      ['10 MB', { raw: `{"action":"x","args":{"s":"${'x'.repeat(10_000_000)}"}}` }, 413, /256 KB/],
      [
        'no JSON',
        { raw: 'action=x', headers: { 'content-type': 'text/plain' } },
        415,
        /application\/json/,
      ],
      ['broken JSON', { raw: '{"action":' }, 400, /cut off/],
      ['nothing', {}, 400, /action/],
      ['no object', { raw: '[]' }, 400, /body/],
      ['a tool with a blank', { body: { ...CALL, action: 'rm -rf' } }, 400, /name of a tool/],
      ['a channel by name', { body: { ...CALL, channel: '#ops' } }, 400, /C012AB3CD/],
      [
        'a channel that is not the key’s',
        { body: { ...CALL, channel: 'C0OTHER' } },
        403,
        /C0OTHER/,
      ],
      ['another requester', { body: { ...CALL, requester: 'U0OTHER' } }, 403, /scope requesters/],
      [
        'a deadline of yesterday',
        { body: { ...CALL, deadline: '2020-01-01T00:00:00Z' } },
        422,
        /deadline is in the past/,
      ],
      [
        'a callback that is none',
        { body: { ...CALL, callbackUrl: 'ftp://x' } },
        400,
        /callbackUrl/,
      ],
      [
        'a schema that is none',
        { body: { ...CALL, schema: { type: 5 } } },
        422,
        /^The request is invalid\. schema: “\/type” must be one of/,
      ],
      [
        'a misspelled field',
        { body: { ...CALL, deadine: 60 } },
        400,
        /`deadine` is not a known field/,
      ],
      [
        'a misspelled keyword of a schema',
        {
          body: { ...CALL, schema: { type: 'object', properties: { table: { maxLenght: 3 } } } },
        },
        422,
        /schema: “\/properties\/table\/maxLenght” .* did you mean “maxLength”\?/,
      ],
      [
        'a schema with a keyword twice',
        { raw: '{"action":"x","args":{},"schema":{"type":"object","type":"array"}}' },
        400,
        /"type" appears twice/,
      ],
      ...['', ' ', 'a\nb', 'a\u2028b', 'a\tb', 'x'.repeat(151), 7].map(
        (summary) =>
          [
            'a summary that is no line',
            { body: { ...CALL, summary } },
            400,
            /`summary` must be /,
          ] as const,
      ),
      [
        'a header that is none',
        { body: CALL, headers: { 'idempotency-key': 'x'.repeat(256) } },
        400,
        /`idempotency-key` must be 1 to 255 characters/,
      ],
      ...(
        [
          [
            'a decision twice',
            { decisions: ['approve', 'approve'] },
            /decisions: names “approve” twice/,
          ],
          ['an edit alone', { decisions: ['edit'] }, /decisions: must include another/],
          ['choices of no reply', { decisions: ['approve'], choices: ['a'] }, /“reply”/],
          ['somebody who has gone', { requester: 'U0LEFT' }, /U0LEFT, who is deactivated/],
          ['a bot', { requester: 'U0BOT' }, /who is a bot/],
          ['a stranger', { requester: 'U0FAR' }, /who is not a member of this workspace/],
        ] as const
      ).map(([what, more, says]) => [what, { body: { ...CALL, ...more } }, 422, says] as const),
      [
        'arguments that do not fit',
        {
          body: { ...CALL, schema: { type: 'object', properties: { table: { type: 'number' } } } },
        },
        422,
        /args\.table/,
      ],
    ];

  it('refuses invalid requests at once, with a sentence and without an effect', async () => {
    for (const [user, standing] of STANDINGS) bench.stage.directory.setPerson(user, { standing });
    const free = await bench.stage.key({ scopes: ['request', 'requesters'] });
    for (const [what, given, status, says] of REFUSED) {
      const request = /gone|bot|stranger/.test(what) ? { ...given, token: free } : given;
      const before = await bench.stage.desk.store.ledger.count();
      // The clock is manual: a request that waited would never get a response.
      const response = await bench.post('/api/approvals', request);
      assert.equal(response.status, status, `${what}: ${JSON.stringify(response.body)}`);
      assert.match(response.body.detail, says, what);
      assert.deepEqual(await bench.stage.desk.store.ledger.count(), before, what);
    }
    await bench.stage.desk.rest();
  });

  it('accepts a requester whom Slack can’t look up now, and repeats its response when they are gone', async () => {
    const { directory } = bench.stage;
    directory.failWith(new Error('Slack is down.'));
    const headers = { 'idempotency-key': 'while Slack is down' };
    assert.equal((await bench.make({}, { headers })).status, 201);
    directory.failWith(undefined);
    directory.setPerson(OWNER, { standing: 'gone' });
    const [again, another] = [await bench.make({}, { headers }), await bench.make()];
    directory.setPerson(OWNER, {});
    assert.deepEqual([again.status, another.status], [200, 422]);
  });

  it('treats approvals of other keys like nonexistent ones', async () => {
    const { body } = await bench.make();
    const other = await bench.stage.key();
    const ways: readonly (readonly [string, string, object?])[] = [
      ['GET', ''],
      ['GET', '?wait=5'],
      ['GET', '/events'],
      ['POST', '/cancel', {}],
      ['POST', '/consume', { digest: body.digest }],
      ['POST', '/report', { outcome: { status: 'failed' } }],
    ];
    for (const [method, way, sent] of ways) {
      const request = { token: other, ...(sent && { body: sent }) };
      const [theirs, none] = await Promise.all(
        [body.id, 'call_none'].map((id) =>
          bench.stage.ask(method, `/api/approvals/${id}${way}`, request),
        ),
      );
      assert.equal(theirs?.status, 404, way);
      assert.deepEqual(theirs?.body, none?.body);
    }
    const list = await bench.get('/api/approvals', { token: other });
    assert.deepEqual(list.body, { approvals: [], next: null });
    assert.equal(
      (await bench.get(`/api/approvals?after=${body.id}`, { token: other })).status,
      422,
    );
    assert.equal(await bench.statusOf(body.id), 'pending');
  });

  it('accepts valid keys, and says why it refuses others; a key never decides', async () => {
    const now = bench.stage.desk.clock.now();
    const made = await bench.make();
    const cases: readonly (readonly [string, string | undefined, RegExp])[] = [
      ['none', undefined, /Bearer csk_/],
      ['no key', 'csk_x', /key does not exist/],
      ['a made up one', `csk_${'0'.repeat(16)}_${'A'.repeat(43)}`, /key does not exist/],
      ['another secret', `${bench.token.slice(0, -5)}AAAAA`, /key does not exist/],
      ['revoked', await bench.stage.key({ revokedAt: now }), /revoked/],
      ['expired', await bench.stage.key({ expiresAt: now }), /expired/],
    ];
    for (const [what, sent, says] of cases) {
      const response = await bench.get('/api/approvals', { token: sent });
      assert.equal(response.status, 401, what);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
      assert.match(response.body.detail, says, what);
    }
    for (const way of ['approve', 'reject']) {
      for (const scopes of [['request'], ['request', 'read', 'requesters']]) {
        const key = await bench.stage.key({ scopes });
        const response = await bench.post(`/api/approvals/${made.body.id}/${way}`, {
          token: key,
          body: {},
        });
        assert.equal(response.status, 403);
        assert.match(response.body.detail, /never decide\./);
      }
    }
    assert.equal(await bench.statusOf(made.body.id), 'pending');
  });

  it('limits a key to its scopes, its channels and its owner', async () => {
    const tries: readonly (readonly [object, object, number, RegExp])[] = [
      [{ scopes: ['request:deploy_*'] }, CALL, 403, /request:deploy_\*/],
      [{ scopes: ['request:deploy_*'] }, { ...CALL, action: 'deploy_web' }, 201, /.*/],
      [{ scopes: ['read'] }, CALL, 403, /may not request/],
      [{ owner: undefined }, CALL, 422, /--owner/],
      [{ owner: undefined }, { ...CALL, requester: 'U0OTHER' }, 403, /it has none/],
      [{ scopes: ['request', 'requesters'] }, { ...CALL, requester: 'U0OTHER' }, 201, /.*/],
      [{ channels: [] }, CALL, 422, /--channels/],
      [{ channels: [] }, { ...CALL, channel: 'C0ANY' }, 201, /.*/],
    ];
    for (const [patch, body, status, says] of tries) {
      const key = await bench.stage.key(Object.fromEntries(Object.entries(patch)));
      const response = await bench.post('/api/approvals', { token: key, body });
      assert.equal(response.status, status, JSON.stringify([patch, body, response.body]));
      assert.match(response.body.detail ?? '', says);
    }
    await bench.stage.desk.rest();
  });

  it('answers 405 and 404 as problems, and neither other methods nor a body of null change anything', async () => {
    const wrong = await bench.stage.ask('DELETE', '/api/approvals', { token: bench.token });
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST, GET']);
    const { body } = await bench.make();
    const nothing = { token: bench.approver, raw: 'null' };
    for (const way of ['approve', 'reject']) {
      const response = await bench.post(`/api/approvals/${body.id}/${way}`, nothing);
      assert.equal(response.status, 400, way);
    }
    assert.equal(
      (await bench.post(`/api/approvals/${body.id}/cancel`, { raw: 'null' })).status,
      400,
    );
    assert.equal(await bench.statusOf(body.id), 'pending');
    assert.equal((await bench.get('/api/nothing')).status, 404);
    assert.equal((await bench.get('/api/openapi.json')).status, 200);
    assert.equal(bench.stage.document().openapi, '3.1.0');
  });
}
