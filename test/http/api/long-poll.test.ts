/** Programs that wait for people, by long polls and by streams, on both stores. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { createUnstartedClaims } from '../../../src/desk/calls/execution/unstarted-claims.ts';
import { createStopSignals } from '../../../src/desk/control/stop-signals.ts';
import { createIntegrityAlarm } from '../../../src/desk/decisions/integrity-alarm.ts';
import { createDesk } from '../../../src/desk/desk.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import { revokeKey } from '../../../src/domain/people/api-key.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import { withSealedCalls } from '../../../src/stores/repositories/documents/sealed-ledger.ts';
import { isWhole } from '../../support/sample.ts';
import { TEST_SEAL } from '../../support/test-secret-mark.ts';
import { until } from '../../support/until.ts';
import { APPROVER, type ApiStage, CHANNEL, setApiStage } from './api-stage.ts';

const WAITERS = isWhole ? 2_000 : 400;
const CALLS = 16;
/** A busy loop would take the time of the requests that it waits for. */
const POLL_MS = 10;
const BY = { team: 'T1', user: APPROVER };

interface Received {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Its parts with their lengths, if it arrived in parts. */
  readonly text: string;
}

/** One request on its own connection; rejects when that is cut off. */
function request(url: string, token: string, onText?: (text: string) => void): Promise<Received> {
  const { hostname, pathname, port, search } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
    );
    socket.on('data', (chunk) => {
      received += chunk.toString();
      onText?.(received);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...text] = received.split('\r\n\r\n');
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 0);
      const retryAfter = /^retry-after: (.*)$/im.exec(head)?.[1]?.trim();
      if (status === 0) reject(new Error('The connection was cut off.'));
      else resolve({ status, retryAfter, text: text.join('') });
    });
  });
}

async function ask(stage: ApiStage, token: string): Promise<Call> {
  const body = { action: 'drop_table', args: { table: 'users' } };
  const { body: made } = await stage.ask('POST', '/api/approvals', { token, body });
  const call = await stage.desk.store.ledger.get(made.id);
  assert.ok(call);
  return call;
}

/** Sockets of this process, and timers of its clock. */
function countHandles(stage: ApiStage) {
  const sockets = process.getActiveResourcesInfo().filter((each) => each.startsWith('TCPSocket'));
  return { sockets: sockets.length, timers: stage.desk.clock.pendingCount };
}

async function decide(stage: ApiStage, call: Call): Promise<void> {
  const { attempt, id: callId } = call;
  const digest = shortDigest(call.digest);
  const decision = { kind: 'approve' } as const;
  const outcome = await stage.desk.desk.decide({ callId, attempt, digest, by: BY, decision });
  assert.equal(outcome.kind, 'decided');
}

for (const kind of ['SQLite', 'Redis'] as const) {
  describe(`programs that wait, on ${kind}`, () => {
    it(`${WAITERS} of them receive each decision, also one between two polls and one during a crash, and leave no sockets or timers`, async (t) => {
      const stage = await setApiStage(t, { kind });
      const token = await stage.key();
      const calls: Call[] = [];
      for (let n = 0; n < CALLS; n += 1) calls.push(await ask(stage, token));
      await stage.desk.rest();
      const base = countHandles(stage);
      let polls = 0;
      let restarted = () => {};
      const restart = new Promise<void>((resolve) => {
        restarted = resolve;
      });
      const outcomes: string[] = [];
      const wait = async (id: string): Promise<void> => {
        for (;;) {
          polls += 1;
          const response = await request(`${stage.url()}/api/approvals/${id}?wait=60`, token).catch(
            () => undefined,
          );
          // Cut off: it asks again as soon as the server is up.
          if (!response) {
            await restart;
            continue;
          }
          assert.ok(response.status === 200 || response.status === 202, response.text);
          if (response.status === 202) continue;
          outcomes.push(JSON.parse(response.text).status);
          return;
        }
      };
      const all = Array.from({ length: WAITERS }, (_, n) => wait(calls[n % CALLS]?.id ?? ''));
      const part = (from: number, to: number) => calls.slice(CALLS * from, CALLS * to);
      const [first, second, third] = [part(0, 0.5), part(0.5, 0.75), part(0.75, 1)];
      const waiting = () => stage.desk.clock.pendingCount - base.timers;
      await until(() => waiting() >= WAITERS, POLL_MS);
      for (const call of first) await decide(stage, call);
      await until(() => outcomes.length === first.length * (WAITERS / CALLS), POLL_MS);

      // A poll has timed out, and the decision is made between two polls.
      await stage.crash(async () => {
        for (const call of second) await decide(stage, call);
      });
      restarted();
      await until(
        () => outcomes.length === (first.length + second.length) * (WAITERS / CALLS),
        POLL_MS,
      );
      await until(() => waiting() >= third.length * (WAITERS / CALLS), POLL_MS);
      for (const call of third) await decide(stage, call);
      await Promise.all(all);
      assert.deepEqual([outcomes.length, new Set(outcomes)], [WAITERS, new Set(['approved'])]);
      assert.ok(polls > WAITERS);
      await stage.desk.rest();
      await until(() => countHandles(stage).sockets <= base.sockets, POLL_MS);
      assert.equal(countHandles(stage).timers, base.timers);
    });

    it('are told within a second that their key was revoked; the next request is refused', async (t) => {
      const stage = await setApiStage(t, { kind });
      const token = await stage.key();
      const { id } = await ask(stage, token);
      await stage.desk.rest();
      const base = stage.desk.clock.pendingCount;
      const poll = request(`${stage.url()}/api/approvals/${id}?wait=60`, token);
      let streamed = '';
      const stream = request(`${stage.url()}/api/approvals/${id}/events`, token, (text) => {
        streamed = text;
      });
      await until(
        () => streamed.includes('event: approval') && stage.desk.clock.pendingCount >= base + 4,
        POLL_MS,
      );
      const [key] = await stage.desk.store.keys.list();
      assert.ok(key);
      await stage.desk.store.keys.change(revokeKey(key, stage.desk.clock.now()), {});
      // Step by step, because a store in another process takes real time.
      for (let ms = 0; ms < 900; ms += 100) {
        await stage.desk.clock.advance(100);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.equal((await poll).status, 401);
      assert.equal((await stream).status, 200);
      assert.equal((await stage.ask('GET', `/api/approvals/${id}`, { token })).status, 401);
      assert.equal((await stage.desk.store.ledger.get(id))?.status, 'pending');
    });
  });
}

describe('a program that waits', () => {
  it('is told to ask again when its wait times out, and when the app stops', async (t) => {
    const stage = await setApiStage(t);
    const token = await stage.key();
    const { id, revision } = await ask(stage, token);
    await stage.desk.rest();
    const base = stage.desk.clock.pendingCount;
    const url = `${stage.url()}/api/approvals/${id}`;
    const first = request(`${url}?wait=30`, token);
    await until(() => stage.desk.clock.pendingCount >= base + 2, POLL_MS);
    await stage.desk.clock.advance(30_000);
    assert.equal((await first).status, 202);

    const seen = await request(`${url}?wait=60&revision=${revision - 1}`, token);
    assert.equal(seen.status, 200);
    const polls = [
      request(`${url}?wait=60`, token),
      request(`${url}?wait=60&revision=${revision}`, token),
    ];
    let streamed = '';
    const stream = request(`${url}/events`, token, (text) => {
      streamed = text;
    });
    await until(() => streamed !== '' && stage.desk.clock.pendingCount >= base + 4, POLL_MS);
    await stage.desk.clock.advance(15_000);
    await until(() => streamed.includes(': still here'), POLL_MS);
    stage.api().close();
    for (const poll of polls) {
      const response = await poll;
      assert.equal(response.status, 202);
      assert.equal(response.retryAfter, '1');
    }
    await stream;
    assert.equal((await request(`${url}?wait=60`, token)).status, 202);
  });

  it('follows an approval to its end, without duplicate events', async (t) => {
    const stage = await setApiStage(t);
    const token = await stage.key();
    const call = await ask(stage, token);
    const url = `${stage.url()}/api/approvals/${call.id}/events`;
    let streamed = '';
    const stream = request(url, token, (text) => {
      streamed = text;
    });
    await until(() => streamed.includes('"pending"'), POLL_MS);
    await decide(stage, call);
    await until(() => streamed.includes('"approved"'), POLL_MS);
    await stage.ask('POST', `/api/approvals/${call.id}/cancel`, { token });
    const response = await stream;
    const events = [
      ...response.text.matchAll(/^event: (\w+)\nid: (\d+)\nretry: \d+\ndata: (.*)/gm),
    ];
    const statuses = events.map(([, , , data = '{}']) => JSON.parse(data).status);
    assert.deepEqual(statuses, ['pending', 'approved', 'withdrawn']);
    assert.equal(new Set(events.map(([, , id]) => id)).size, 3);
    const again = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, 'last-event-id': events.at(-1)?.[2] ?? '' },
    });
    assert.equal(again.status, 204);
    const fresh = await request(url, token);
    assert.match(fresh.text, /"withdrawn"/);
    const [key] = await stage.desk.store.keys.list();
    assert.equal(
      (await stage.desk.store.ledger.newest({ key: key?.id, limit: 1 }))[0]?.delivered,
      true,
    );
  });

  it('receives the decision of another process', async (t) => {
    const stage = await setApiStage(t, { kind: 'Redis' });
    const token = await stage.key();
    const call = await ask(stage, token);
    await stage.desk.rest();
    const silent = () => {};
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const { clock } = stage.desk;
    const base = clock.pendingCount;
    const poll = request(`${stage.url()}/api/approvals/${call.id}?wait=60`, token);
    await until(() => clock.pendingCount >= base + 3, POLL_MS);
    assert.ok(stage.redisUrl);
    const opened = await createRedisStore({
      url: stage.redisUrl,
      prefix: 'desk',
      clock: { now: clock.now, schedule: () => silent },
      log,
    });
    const store = { ...opened, ledger: withSealedCalls(opened.ledger, TEST_SEAL) };
    const other = createDesk({
      ...{ store, clock, log, directory: stage.directory },
      toolbox: { get: () => undefined, of: () => undefined, list: () => [] },
      signals: createStopSignals(),
      claims: createUnstartedClaims(),
      senderPolicy: {},
      integrity: createIntegrityAlarm(log),
    });
    const { attempt, digest, id: callId } = call;
    const command = { callId, attempt, digest: shortDigest(digest), by: BY };
    const outcome = await other.decide({ ...command, decision: { kind: 'reply', text: 'Later.' } });
    assert.equal(outcome.kind, 'decided');
    await clock.advance(250);
    const response = await poll;
    assert.deepEqual([response.status, JSON.parse(response.text).reply], [200, 'Later.']);
    await opened.close();
  });

  it('is limited in its requests per minute and its pending approvals', async (t) => {
    const stage = await setApiStage(t, { ratePerMinute: 7, maxPendingPerKey: 2 });
    const token = await stage.key();
    const options = { token, body: { action: 'x', args: {}, channel: CHANNEL } };
    const statuses: number[] = [];
    for (const headers of [{ 'idempotency-key': '1' }, {}, {}, { 'idempotency-key': '1' }]) {
      const { status } = await stage.ask('POST', '/api/approvals', { ...options, headers });
      statuses.push(status);
      await stage.desk.rest();
    }
    assert.deepEqual(statuses, [201, 201, 429, 200]);
    for (let n = 0; n < 3; n += 1) await stage.ask('GET', '/api/approvals', { token });
    const rushed = await stage.ask('GET', '/api/approvals', { token });
    assert.equal(rushed.status, 429);
    assert.ok(Number(rushed.headers.get('retry-after')) > 0);
    assert.equal(
      (await stage.ask('GET', '/api/approvals', { token: await stage.key() })).status,
      200,
    );
  });
});
