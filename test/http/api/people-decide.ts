import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { askAll } from '../../support/desk/build-desk.ts';
import { until } from '../../support/until.ts';
import { type ApiBench, CALL } from './api-bench.ts';
import { APPROVER, OWNER, setApiStage } from './api-stage.ts';

/** What people see and decide with their own tokens. */
export function peopleTests(bench: ApiBench): void {
  it('lets only people decide who may', async () => {
    const asked = await bench.make({ decisions: ['approve', 'reply', 'ignore'] });
    const { id } = asked.body;
    const stranger = await bench.stage.person('U0STRANGER');
    assert.equal((await bench.approve(id, {}, stranger)).status, 403);
    assert.equal((await bench.get(`/api/approvals/${id}`, { token: stranger })).status, 404);
    assert.equal((await bench.approve(id, { modifiedArguments: { table: 'x' } })).status, 403);
    assert.equal((await bench.approve('call_none')).status, 404);
    const reply = await bench.post(`/api/approvals/${id}/reject`, {
      token: bench.approver,
      body: { reason: 'Not today.' },
    });
    assert.deepEqual(
      [reply.status, reply.body.status, reply.body.reply],
      [200, 'replied', 'Not today.'],
    );
    const late = await bench.approve(id);
    assert.equal(late.status, 409);
    assert.match(late.body.detail, new RegExp(APPROVER));

    const question = await bench.make({ decisions: ['reply'], choices: ['Yes.'] });
    const unanswered = await bench.approve(question.body.id);
    assert.equal(unanswered.status, 403);
    assert.match(unanswered.body.detail, /The program that made this call accepts only an answer/);

    const other = await bench.make();
    const ignored = await bench.stage.ask('POST', `/api/approvals/${other.body.id}/reject`, {
      token: bench.approver,
    });
    assert.deepEqual([ignored.status, ignored.body.status], [200, 'ignored']);

    const third = await bench.make({
      schema: { type: 'object', properties: { table: { type: 'string' } } },
    });
    const invalid = await bench.approve(third.body.id, { modifiedArguments: { table: 5 } });
    assert.equal(invalid.status, 422);
    const edited = await bench.approve(third.body.id, { modifiedArguments: { table: 'rows' } });
    assert.deepEqual(
      [edited.body.status, edited.body.edited, edited.body.arguments],
      ['approved', true, { table: 'rows' }],
    );
    const stale = { digest: third.body.digest };
    assert.equal(
      (await bench.post(`/api/approvals/${third.body.id}/consume`, { body: stale })).status,
      409,
    );
  });

  it('lists for people what waits for them, and what was requested in their name', async () => {
    const one = await bench.make();
    const waits = await bench.get('/api/approvals?limit=100', { token: bench.approver });
    assert.equal(waits.status, 200);
    assert.ok(waits.body.approvals.some(({ id }: { id: string }) => id === one.body.id));
    const owner = await bench.stage.person(OWNER);
    await bench.post(`/api/approvals/${one.body.id}/cancel`);
    const mine = await bench.get('/api/approvals?status=withdrawn', { token: owner });
    assert.ok(mine.body.approvals.some(({ id }: { id: string }) => id === one.body.id));
    assert.deepEqual(
      (await bench.get('/api/approvals?status=withdrawn', { token: bench.approver })).body
        .approvals,
      [],
    );
    assert.equal((await bench.post('/api/approvals', { token: owner, body: CALL })).status, 403);
    for (const way of ['cancel', 'consume', 'report']) {
      const body = {
        consume: { digest: one.body.digest },
        report: { outcome: { status: 'failed' } },
      };
      const sent = { token: owner, body: body[way as 'consume'] ?? {} };
      assert.equal((await bench.post(`/api/approvals/${one.body.id}/${way}`, sent)).status, 403);
    }
    bench.stage.directory.setPerson('U0GONE', { standing: 'gone' });
    assert.equal(
      (await bench.get('/api/approvals', { token: await bench.stage.person('U0GONE') })).status,
      403,
    );
    bench.stage.directory.failWith(new Error('Slack is down.'));
    const unclear = await bench.get('/api/approvals', { token: owner });
    assert.equal(unclear.status, 503);
    assert.ok(unclear.headers.get('retry-after'));
    const theirs = await bench.make();
    for (const path of [
      `/${theirs.body.id}`,
      `/${theirs.body.id}/events`,
      `?after=${theirs.body.id}`,
    ]) {
      const response = await bench.get(`/api/approvals${path}`, { token: bench.approver });
      assert.equal(response.status, 503, path);
      assert.match(response.body.detail, /Slack/);
    }
    bench.stage.directory.failWith(undefined);
  });

  it('sends nothing to a person who may no longer read the call, also during a wait', async (t) => {
    const { directory, url } = bench.stage;
    const { body } = await bench.make();
    const path = `/api/approvals/${body.id}`;
    const lookups = t.mock.method(directory, 'profileOf');
    const poll = bench.get(`${path}?wait=60`, { token: bench.approver });
    const headers = { authorization: `Bearer ${bench.approver}` };
    const stream = await fetch(`${url()}${path}/events`, { headers });
    await until(() => lookups.mock.callCount() === 2);
    directory.setPerson(APPROVER, { standing: 'gone' });
    await bench.post(`${path}/cancel`);
    const [polled, streamed] = [await poll, await stream.text()];
    directory.setPerson(APPROVER, {});
    assert.equal(polled.status, 404);
    assert.match(streamed, /"pending"/);
    assert.doesNotMatch(streamed, /"withdrawn"/);
  });

  it('accepts only tokens that are signed, not expired, for us, and with a Slack id', async () => {
    const now = Math.floor(bench.stage.desk.clock.now() / 1_000);
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${bench.approver.split('.')[1]}.`;
    const bad: readonly (readonly [string, string, RegExp])[] = [
      ['of another secret', await bench.stage.person(APPROVER, {}, 'x'.repeat(32)), /not signed/],
      ['without a signature', none, /not signed/],
      ['changed', `${bench.approver.slice(0, -3)}AAA`, /not signed/],
      ['for another service', await bench.stage.person(APPROVER, { aud: 'other' }), /“aud”/],
      ['expired', await bench.stage.person(APPROVER, { exp: now - 60 }), /expired/],
      ['that never expires', await bench.stage.person(APPROVER, { exp: undefined }), /“exp”/],
      ['of a name', await bench.stage.person('ann@example.com'), /Slack/],
      ['of a list', await bench.stage.person(APPROVER, { sub: [APPROVER] }), /Slack/],
      ['for longer than a day', await bench.stage.person(APPROVER, { exp: now + 90_000 }), /a day/],
      ['by HS512', await bench.stage.person(APPROVER, {}, undefined, 'HS512'), /not signed/],
      ['no token', 'abc', /not signed/],
    ];
    for (const [what, sent, says] of bad) {
      const response = await bench.get('/api/approvals', { token: sent });
      assert.equal(response.status, 401, what);
      assert.match(response.body.detail, says, what);
    }
  });

  it('counts each person’s approval of the version that they saw, with their reason', async (t) => {
    const route = {
      approvers: ['user:U0ONE' as const, 'user:U0TWO' as const],
      quorum: 2,
      requiresReason: true,
    };
    const stage = await setApiStage(t, { gate: askAll(route) });
    const token = await stage.key();
    const [one, two] = await Promise.all(['U0ONE', 'U0TWO'].map((user) => stage.person(user)));
    const { body: made } = await stage.ask('POST', '/api/approvals', { token, body: CALL });
    const approve = (by: string | undefined, body: object) =>
      stage.ask('POST', `/api/approvals/${made.id}/approve`, { token: by, body });
    assert.equal((await approve(one, {})).status, 422);
    const modifiedArguments = { table: 'rows' };
    const edited = await approve(one, { modifiedArguments, reason: 'Only the rows.' });
    assert.deepEqual([edited.body.status, edited.body.approvedBy], ['pending', ['U0ONE']]);
    const { digest } = edited.body;
    assert.equal((await approve(one, { digest, reason: 'Again.' })).status, 200);
    assert.equal((await approve(two, { reason: 'Fine.' })).status, 409);
    const approved = await approve(two, { digest, reason: 'Fine.' });
    assert.deepEqual(
      [approved.body.status, approved.body.approvedBy, approved.body.arguments],
      ['approved', ['U0ONE', 'U0TWO'], modifiedArguments],
    );
  });

  it('accepts only tokens signed by a key of the set; it responds with an error if the set is unreachable', async (t) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1' };
    let isThere = false;
    const server = createServer((_request, response) => {
      response.writeHead(isThere ? 200 : 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    t.after(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const by = { kind: 'jwks' as const, url: `http://127.0.0.1:${port}/jwks` };
    const stage = await setApiStage(t, { people: { by, audience: 'countersign' } });
    const claims = { sub: APPROVER, aud: 'countersign', exp: stage.desk.clock.now() / 1_000 + 60 };
    const sign = (alg: string, key: CryptoKey | Uint8Array) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: 'k1' }).sign(key);
    const token = await sign('ES256', privateKey);
    assert.equal((await stage.ask('GET', '/api/approvals', { token })).status, 503);
    isThere = true;
    assert.equal((await stage.ask('GET', '/api/approvals', { token })).status, 200);
    // The public key, used as a secret.
    const asSecret = new TextEncoder().encode(await exportSPKI(publicKey));
    const other = await generateKeyPair('ES256');
    for (const forged of [await sign('HS256', asSecret), await sign('ES256', other.privateKey)]) {
      assert.equal((await stage.ask('GET', '/api/approvals', { token: forged })).status, 401);
    }
  });
}
