import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ApiBench, CALL } from './api-bench.ts';
import { APPROVER, OWNER } from './api-stage.ts';

/** What people see and decide by tokens of their own. */
export function peopleTests(bench: ApiBench): void {
  it('hides secrets from all but the key that sent them', async () => {
    const schema = {
      type: 'object',
      properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
    };
    const args = { user: 'ann', password: 'hunter2hunter2' };
    const { body } = await bench.make({ schema, args, description: 'with hunter2hunter2' });
    assert.deepEqual(body.arguments, args);
    const reader = await bench.stage.key({ scopes: ['read'] });
    for (const by of [reader, bench.approver]) {
      const told = await bench.get(`/api/approvals/${body.id}`, { token: by });
      assert.equal(told.status, 200);
      assert.doesNotMatch(JSON.stringify(told.body), /hunter2/);
      assert.match(told.body.arguments.password, /secret, not shown/);
    }
    const shown = (await bench.get(`/api/approvals/${body.id}`, { token: bench.approver })).body
      .arguments;
    const modifiedArguments = { ...shown, user: 'bob' };
    const edited = await bench.approve(body.id, { modifiedArguments });
    // What they were not shown stays, and is not approved by their edit.
    assert.deepEqual([edited.status, edited.body.status, edited.body.attempt], [200, 'pending', 2]);
    assert.equal((await bench.approve(body.id)).status, 409);
    assert.equal((await bench.approve(body.id, { digest: body.digest })).status, 409);
    assert.equal(
      (await bench.approve(body.id, { digest: edited.body.digest })).body.status,
      'approved',
    );
    const own = await bench.get(`/api/approvals/${body.id}`);
    assert.deepEqual(own.body.arguments, { user: 'bob', password: 'hunter2hunter2' });
    assert.equal(own.body.edited, true);
  });

  it('lets people decide who may, and nobody else', async () => {
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

  it('tells people what waits for them, and what was asked for in their name', async () => {
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
    bench.stage.directory.failWith(undefined);
  });

  it('takes tokens of people that are signed, in time, for us, with their Slack id', async () => {
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
      ['no token', 'abc', /not signed/],
    ];
    for (const [what, sent, says] of bad) {
      const told = await bench.get('/api/approvals', { token: sent });
      assert.equal(told.status, 401, what);
      assert.match(told.body.detail, says, what);
    }
  });
}
