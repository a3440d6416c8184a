/** A key that sends schemas made to block the app: everybody else is served meanwhile. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOSTILE_SCHEMAS } from '../../support/hostile/hostile-schemas.ts';
import { CALL } from './api-bench.ts';
import { APPROVER, setApiStage } from './api-stage.ts';

const LIMIT_MS = 500;

it('a schema of 39 KB that took Ajv twenty seconds is accepted at once, and a decision meanwhile gets a response', async (t) => {
  const stage = await setApiStage(t);
  const [token, approver] = [await stage.key(), await stage.person(APPROVER)];
  const waits: number[] = [];
  // Other tests use the processor too. A real freeze shows in every run.
  for (let run = 0; run < 3; run += 1) {
    const made = await stage.ask('POST', '/api/approvals', { token, body: CALL });
    const names = Array.from({ length: 5_000 }, (_, i) => `n${run}${i}`);
    const schema = { type: 'object', dependentRequired: { a: names } };
    const body = { action: 'drop_table', args: { b: 1 }, schema };
    const begin = performance.now();
    const hostile = stage.ask('POST', '/api/approvals', { token, body });
    const path = `/api/approvals/${made.body.id}/approve`;
    const approved = await stage.ask('POST', path, { token: approver, body: {} });
    waits.push(performance.now() - begin);
    assert.equal(approved.status, 200);
    assert.equal((await hostile).status, 201);
    const unfit = await stage.ask('POST', '/api/approvals', {
      token,
      body: { ...body, args: { a: 1 } },
    });
    assert.equal(unfit.status, 422);
    assert.match(unfit.body.detail, /must have properties n\d.{900,1000}…$/);
  }
  assert.ok(Math.min(...waits) < LIMIT_MS, waits.join(', '));
});

it('no hostile schema and no hostile arguments block the app', async (t) => {
  const stage = await setApiStage(t);
  const token = await stage.key();
  const statuses = new Set<number>();
  for (const { name, schema, args } of HOSTILE_SCHEMAS) {
    const before = process.cpuUsage();
    const body = { action: 'drop_table', args, schema };
    const { status } = await stage.ask('POST', '/api/approvals', { token, body });
    const cost = process.cpuUsage(before).user / 1_000;
    statuses.add(status);
    assert.ok(cost < LIMIT_MS, `${name}: ${cost} ms`);
  }
  assert.deepEqual([...statuses].sort(), [201, 400, 422]);
  await stage.desk.rest();
});
