import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { ApiBench } from './api-bench.ts';
import { APPROVER, CHANNEL, OWNER } from './api-stage.ts';

/** The requests of programs, and their results. */
export function actingTests(bench: ApiBench): void {
  it('asks people, waits, is consumed once with the approved arguments, and is reported', async () => {
    const made = await bench.make({
      description: 'Old rows.',
      risk: 'high',
      metadata: { build: 7 },
    });
    assert.equal(made.status, 201);
    const { id, digest } = made.body;
    assert.equal(made.headers.get('location'), `/api/approvals/${id}`);
    assert.deepEqual(
      [
        made.body.status,
        made.body.requester,
        made.body.channel,
        made.body.thread,
        made.body.source,
      ],
      ['pending', OWNER, CHANNEL, null, { kind: 'key', name: 'deploy bot' }],
    );
    assert.equal((await bench.get(`/api/approvals/${id}?wait=0`)).status, 202);
    assert.equal(
      (await bench.post(`/api/approvals/${id}/consume`, { body: { digest } })).status,
      409,
    );
    const waiting = bench.get(`/api/approvals/${id}?wait=30`);
    assert.equal((await bench.approve(id)).body.status, 'approved');
    const seen = await waiting;
    assert.equal(seen.status, 200);
    assert.deepEqual([seen.body.approvedBy, seen.body.decidedBy], [[APPROVER], APPROVER]);
    assert.deepEqual(seen.body.metadata, { build: 7 });

    const wrong = { body: { digest: 'f'.repeat(64) } };
    assert.equal((await bench.post(`/api/approvals/${id}/consume`, wrong)).status, 409);
    const both = await Promise.all(
      [1, 2].map(() => bench.post(`/api/approvals/${id}/consume`, { body: { digest } })),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const consumed = both.find(({ status }) => status === 200)?.body;
    const keys = createLocalJWKSet((await bench.get('/api/jwks.json')).body as JSONWebKeySet);
    const { payload } = await jwtVerify(consumed.token, keys, {
      audience: 'countersign:consume',
      issuer: 'countersign',
      currentDate: new Date(bench.stage.desk.clock.now()),
    });
    const argsHash = createHash('sha256').update('{"table":"users"}').digest('hex');
    assert.deepEqual(
      [payload.sub, payload.tool, payload.digest, payload.argsHash],
      [id, 'drop_table', digest, argsHash],
    );
    assert.ok((payload.exp ?? 0) - (payload.iat ?? 0) <= 60 && payload.jti !== undefined);

    const outcome = { status: 'succeeded', text: 'Dropped.' };
    const response = await bench.post(`/api/approvals/${id}/report`, { body: { outcome } });
    assert.deepEqual(
      [response.status, response.body.status, response.body.outcome],
      [200, 'succeeded', { kind: 'result', text: 'Dropped.' }],
    );
    assert.equal(
      (await bench.post(`/api/approvals/${id}/report`, { body: { outcome } })).status,
      409,
    );
    assert.equal((await bench.post(`/api/approvals/${id}/cancel`)).status, 409);
  });

  it('answers 410 when what was approved is consumed after its deadline', async () => {
    const { body } = await bench.make({ deadline: 60 });
    await bench.approve(body.id);
    await bench.stage.desk.clock.advance(61_000);
    const late = await bench.post(`/api/approvals/${body.id}/consume`, {
      body: { digest: body.digest },
    });
    assert.equal(late.status, 410);
    const again = await bench.post(`/api/approvals/${body.id}/consume`, {
      body: { digest: body.digest },
    });
    assert.equal(again.status, 410);
  });

  it('returns the same approval for the same Idempotency-Key, also with a time as its deadline', async () => {
    const headers = { 'idempotency-key': 'deploy 1' };
    const deadline = new Date(bench.stage.desk.clock.now() + 3_600_000).toISOString();
    const asked = { deadline, summary: 'Drops the table “old”.' };
    const first = await bench.make(asked, { headers });
    assert.equal(first.body.summary, asked.summary);
    assert.match(first.body.title, /^[^·]+: drop_table$/);
    await bench.stage.desk.clock.advance(5_000);
    const again = await bench.make(asked, { headers });
    assert.deepEqual([first.status, again.status, again.body.id], [201, 200, first.body.id]);
    assert.equal(first.body.decideBy, deadline);
    assert.equal((await bench.make({ ...asked, args: { table: 'x' } }, { headers })).status, 409);
    assert.equal((await bench.make({ ...asked, summary: 'Tidies up.' }, { headers })).status, 409);
    const other = await bench.stage.key();
    assert.equal((await bench.make(asked, { headers, token: other })).status, 201);
    for (const key of ['', 'x'.repeat(256)]) {
      if (key !== '')
        assert.equal((await bench.make({}, { headers: { 'idempotency-key': key } })).status, 400);
    }
  });

  it('can be cancelled until it is consumed', async () => {
    const { body } = await bench.make();
    const cancelled = await bench.post(`/api/approvals/${body.id}/cancel`);
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'withdrawn']);
    assert.equal((await bench.approve(body.id)).status, 409);
  });

  it('lists newest first, page by page, by status, tool and requester', async () => {
    const key = await bench.stage.key();
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const made = await bench.make({ action: n % 2 ? 'odd' : 'even' }, { token: key });
      ids.unshift(made.body.id);
    }
    const list = async (query: string, by = key) => {
      const { body, status } = await bench.get(`/api/approvals${query}`, { token: by });
      assert.equal(status, 200);
      return { ids: body.approvals.map(({ id }: { id: string }) => id), next: body.next, body };
    };
    assert.deepEqual((await list('')).ids, ids);
    const first = await list('?limit=2');
    const second = await list(`?limit=2&after=${first.next}`);
    const third = await list(`?limit=2&after=${second.next}`);
    assert.deepEqual([...first.ids, ...second.ids, ...third.ids], ids);
    assert.equal(third.next, null);
    assert.deepEqual((await list('?tool=even')).ids, [ids[1], ids[3]]);
    await bench.post(`/api/approvals/${ids[0]}/cancel`, { token: key });
    assert.deepEqual((await list('?status=withdrawn')).ids, [ids[0]]);
    assert.deepEqual((await list('?requester=U0OTHER')).ids, []);
    for (const query of [
      '?limit=0',
      '?limit=101',
      '?limit=x',
      '?status=proposed',
      '?x=1',
      '?tool=a&tool=b',
    ]) {
      assert.equal((await bench.get(`/api/approvals${query}`, { token: key })).status, 400, query);
    }

    const reader = await bench.stage.key({ scopes: ['read'] });
    const all = await list('?limit=5', reader);
    assert.deepEqual(all.ids, ids);
  });

  it('can’t be consumed during a pause, but afterwards', async () => {
    const { body } = await bench.make();
    await bench.approve(body.id);
    const { clock, store } = bench.stage.desk;
    const by = { team: 'T1', user: APPROVER };
    await store.pause.write({ by, at: clock.now() }, {});
    const refused = await bench.post(`/api/approvals/${body.id}/consume`, {
      body: { digest: body.digest },
    });
    assert.equal(refused.status, 409);
    assert.ok(refused.headers.get('retry-after'));
    await store.pause.write(undefined, {});
    const taken = await bench.post(`/api/approvals/${body.id}/consume`, {
      body: { digest: body.digest },
    });
    assert.equal(taken.status, 200);
    const outcome = { status: 'failed', text: 'It broke.' };
    const response = await bench.post(`/api/approvals/${body.id}/report`, { body: { outcome } });
    assert.deepEqual([response.body.status, response.body.outcome.kind], ['failed', 'error']);
  });
}
