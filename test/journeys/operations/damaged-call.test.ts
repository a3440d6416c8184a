/** A call whose stored row is damaged while its card is shown: presses report it, other calls continue, and a restored row works. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Place } from '../../support/app/scene.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { call, type FieldStage, setFieldStage } from '../field-reports/field-stage.ts';

describe('a damaged call', () => {
  let stage: FieldStage;
  let place: Place;
  let document: string;
  const DAMAGED = `UPDATE records SET document = ? WHERE key LIKE 'call/%' AND document LIKE '%broken%'`;
  before(async () => {
    stage = await setFieldStage('http', { ADMIN_USERS: 'U0ADMIN' });
    stage.play(
      sayCalls([call('note', { text: 'broken' }), call('note', { text: 'whole' })]),
      sayText('Both are noted.'),
    );
    place = await stage.ask('requester', 'note both');
    await stage.line(place, 'broken');
    await stage.line(place, 'whole');
    await stage.settled();
    const [row] = stage.sql<{ document: string }>(
      `SELECT document FROM calls WHERE document LIKE '%broken%'`,
    );
    document = row?.document ?? '';
    stage.sql(DAMAGED, document.slice(0, -20));
  });
  after(() => stage.close());

  const get = async (path: string) => {
    const response = await fetch(`${stage.app().url}${path}`);
    return { status: response.status, body: await response.text() };
  };

  it('answers every press with the problem, and decides nothing', async () => {
    const line = await stage.line(place, 'broken');
    await stage.openLine('requester', line);
    await stage.view('requester', 'my stored record of this is damaged');
    await stage.workspace.close('requester');
    assert.deepEqual(await stage.runs(), []);
  });

  it('is reported by /readyz, which stays ready, by /healthz, and to admins in Slack', async () => {
    await stage.workspace.waitFor(
      () => (stage.audit('record.quarantine').length > 0 ? true : undefined),
      { timeoutMs: 20_000 },
    );
    await stage.privately('admin', 'is damaged. I don’t use it');
    const ready = await get('/readyz');
    assert.equal(ready.status, 200);
    assert.match(ready.body, /One stored record is damaged and not used/);
    assert.match((await get('/healthz')).body, /"task":"damaged","count":1/);
    await stage.workspace.command('admin', 'general', '/countersign', 'status');
    await stage.privately('admin', 'Some of my stored records are damaged');
    await stage.workspace.openHome('admin');
    await stage.workspace.waitFor(() =>
      JSON.stringify(stage.workspace.see('admin').home ?? '').includes('stored records are damaged')
        ? true
        : undefined,
    );
    assert.equal(stage.audit('record.quarantine').length, 1);
  });

  it('does not block the other call of its message', async () => {
    const whole = await stage.line(place, 'whole');
    await stage.press('requester', whole.card, 'call.approve-all');
    await stage.privately('requester', 'my stored record of this is damaged');
    await stage.line(place, 'whole', 'Done');
    assert.deepEqual(
      (await stage.runs()).map(({ args }) => args),
      [{ text: 'whole' }],
    );
  });

  it('works again once its row is restored: approved, run once, and the turn continues', async () => {
    stage.sql(
      `UPDATE records SET document = ? WHERE key LIKE 'call/%' AND length(document) = ?`,
      document,
      document.length - 20,
    );
    await stage.restart('stop');
    const line = await stage.line(place, 'broken', 'Waiting for a decision');
    await stage.pressLine('requester', line, 'call.approve');
    await stage.answer(place, 'Both are noted.');
    await stage.settled();
    assert.equal((await stage.runs()).length, 2);
    assert.doesNotMatch((await get('/readyz')).body, /damaged/);
    assert.equal(stage.audit('record.restored').length, 1);
  });
});
