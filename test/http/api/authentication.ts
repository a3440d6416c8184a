import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { it } from 'node:test';
import { type ApiKey, parseKeyToken, revokeKey } from '../../../src/domain/people/api-key.ts';
import { until } from '../../support/until.ts';
import type { ApiBench } from './api-bench.ts';
import { setApiStage } from './api-stage.ts';

const POLL_MS = 5;

/** Sends all of a request but its last byte. The returned function sends that, and resolves with the status. */
async function sendSlowly(
  url: string,
  token: string,
  body: object,
): Promise<() => Promise<number>> {
  const { hostname, pathname, port } = new URL(url);
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
    'connection: close',
  ];
  await new Promise((sent) => {
    socket.write(`${lines.join('\r\n')}\r\n\r\n${text.slice(0, -1)}`, sent);
  });
  return () =>
    new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('data', (data) => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1])));
      socket.write(text.slice(-1));
    });
}

/** Requests that arrive slowly, all at once, or with nobody to read the response. */
export function comingInTests(bench: ApiBench): void {
  it('refuses a request whose credentials end before its body has arrived', async (t) => {
    const { desk, url } = bench.stage;
    const { clock, store } = desk;
    const token = await bench.stage.key();
    const [approved, waiting] = [await bench.make({}, { token }), await bench.make({}, { token })];
    await bench.approve(approved.body.id);
    const of = ({ body }: typeof waiting, way: string) =>
      `${url()}/api/approvals/${body.id}/${way}`;
    const exp = Math.floor(clock.now() / 1_000) + 10;
    const person = await bench.stage.person('U0OWNER', { exp });
    // The cached key is stale by then.
    await clock.advance(1_000);
    const reads = t.mock.method(store.keys, 'get');
    const ends = [
      await sendSlowly(of(waiting, 'approve'), person, {}),
      await sendSlowly(of(approved, 'consume'), token, { digest: approved.body.digest }),
    ];
    // Both are authenticated by their headers.
    await until(() => reads.mock.callCount() > 0, POLL_MS);
    const key = (await store.keys.get(parseKeyToken(token)?.id ?? '')) as ApiKey;
    await store.keys.change(revokeKey(key, clock.now()), {});
    await clock.advance(20_000);
    assert.deepEqual(await Promise.all(ends.map((end) => end())), [401, 401]);
    assert.equal(await bench.statusOf(approved.body.id), 'approved');
    assert.equal(await bench.statusOf(waiting.body.id), 'pending');
  });

  it('limits the pending approvals of a key, also for simultaneous requests', async (t) => {
    const stage = await setApiStage(t, { kind: 'Redis', maxPendingPerKey: 2 });
    const request = { token: await stage.key(), body: { action: 'x', args: {} } };
    const asked = (headers = {}) => stage.ask('POST', '/api/approvals', { ...request, headers });
    const same = { 'idempotency-key': 'once' };
    const responses = await Promise.all([
      ...[same, same, same].map(asked),
      ...Array.from({ length: 9 }, () => asked()),
    ]);
    const calls = await stage.desk.store.ledger.withStatus('pending');
    assert.equal(calls.length, 2);
    const statuses = responses.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 2);
    assert.ok(statuses.every((status) => [200, 201, 429].includes(status)));
  });

  it('starts nothing for a HEAD request', async () => {
    const [ended, open] = [await bench.make(), await bench.make()];
    await bench.post(`/api/approvals/${ended.body.id}/cancel`);
    const { clock } = bench.stage.desk;
    await bench.stage.desk.rest();
    const base = clock.pendingCount;
    for (const path of [ended.body.id, `${open.body.id}?wait=60`, `${open.body.id}/events`]) {
      const { headers, status } = await fetch(`${bench.stage.url()}/api/approvals/${path}`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${bench.token}` },
      });
      assert.deepEqual([status, headers.get('allow')], [405, 'GET'], path);
    }
    assert.equal(clock.pendingCount, base);
  });
}
