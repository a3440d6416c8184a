/** Stored calls that cannot be read: quarantined, reported once, blocking nobody, and fixed when they are restored. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countDeadLetters } from '../../../src/desk/worker/count-dead-letters.ts';
import { renderCardKey, runCallKey } from '../../../src/domain/ports/agenda.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { inTurn } from '../../support/sample.ts';
import { until } from '../../support/until.ts';
import {
  decide,
  entries,
  pass,
  quarantined,
  receive,
  sceneOn,
  waiting,
} from '../support/damaged-scene.ts';

const DAMAGES: readonly (readonly [what: string, change: (document: string) => string])[] = [
  ['bytes that are not JSON', () => '{"id":'],
  ['no document', () => ''],
  ['a document that is null', () => 'null'],
  ['an unknown status', (text) => text.replace('"status":"pending"', '"status":"teleported"')],
  ['the fields of another version', (text) => text.replace('"votes":[]', '"v":2')],
  ['no arguments', (text) => text.replace(/"args":".*?","proposedArgs"/s, '"proposedArgs"')],
  ['no requester', (text) => text.replace('"requester"', '"somebody"')],
  ['an invalid thread', (text) => text.replace(/"thread":"[^"]*"/, '"thread":"x"')],
  ['the document of another call', (text) => text.replace(/"id":"call_/, '"id":"call_x')],
  ['the document of another revision', (text) => text.replace(/"revision":\d+/, '"revision":99')],
];

for (const kind of inTurn(['SQLite', 'Redis'] as const)) {
  describe(`a damaged call on ${kind}`, () => {
    for (const [what, change] of DAMAGES) {
      it(`with ${what} is quarantined after three attempts, and reported once`, async (t) => {
        const scene = await sceneOn(t, kind);
        const [call] = await waiting(scene, ['one']);
        assert.ok(call);
        const mend = await scene.records.damage('call', call.id, change);
        const outcomes = [await decide(scene, call), await decide(scene, call)];
        assert.deepEqual(
          outcomes.map((outcome) => outcome.kind),
          ['damaged', 'damaged'],
        );
        await pass(scene);
        assert.deepEqual(await quarantined(scene), [`call ${call.id}`]);
        const [parked] = countDeadLetters(await scene.desk.store.agenda.deadLetters());
        assert.deepEqual([parked?.task, parked?.count], ['damaged', 1]);
        await decide(scene, call);
        await scene.desk.restart();
        await pass(scene);
        const audited = await entries(scene, 'record.quarantine');
        assert.deepEqual(
          audited.map(({ subject }) => subject),
          [`call ${call.id}`],
        );
        assert.equal(scene.alarms.length, 1);
        const told = scene.desk.chat.said.filter(({ id }) => id.startsWith('damaged:'));
        assert.deepEqual(
          told.map(({ to, isDirect }) => [to?.user, isDirect]),
          [[APPROVER.user, true]],
        );
        assert.match(told[0]?.text ?? '', /is damaged\. I don’t use it.*from a backup/);
        assert.deepEqual(scene.tool.runs, []);

        await mend();
        assert.equal((await decide(scene, call)).kind, 'decided');
        await until(() => scene.tool.runs.length === 1);
        // The sweep every ten minutes, or the next start, notices that it can be read again.
        await scene.desk.restart();
        await until(async () => (await quarantined(scene)).length === 0);
        assert.equal((await entries(scene, 'record.restored')).length, 1);
        await until(async () => (await scene.desk.store.agenda.deadLetters()).length === 0);
      });
    }

    it('does not run although it was approved, and does not run twice after it is restored', async (t) => {
      const scene = await sceneOn(t, kind);
      const [call] = await waiting(scene, ['one']);
      assert.ok(call);
      // As after a crash between the decision and the run.
      const { agenda } = scene.desk.store;
      const { claim, openVisit } = agenda;
      agenda.claim = async () => ({ leases: [], next: undefined });
      agenda.openVisit = async () => undefined;
      assert.equal((await decide(scene, call)).kind, 'decided');
      const mend = await scene.records.damage('call', call.id, () => '{');
      Object.assign(agenda, { claim, openVisit });
      scene.desk.worker.nudge();
      await pass(scene);
      const parked = (await scene.desk.store.agenda.deadLetters()).map(({ key }) => key.task);
      assert.ok(parked.includes('run') && parked.includes('damaged'), parked.join());
      assert.deepEqual(scene.tool.runs, []);
      await mend();
      await scene.desk.restart();
      await until(() => scene.tool.runs.length === 1);
      await scene.desk.rest();
      assert.equal(scene.tool.runs.length, 1);
    });

    it('blocks no other call of its thread, and no other thread', async (t) => {
      const scene = await sceneOn(t, kind);
      const { desk } = scene;
      const [one, two] = await waiting(scene, ['one', 'two']);
      assert.ok(one && two);
      await scene.records.damage('call', one.id, () => 'x');
      assert.equal((await decide(scene, two)).kind, 'decided');
      await until(() => scene.tool.runs.length === 1);
      await pass(scene);
      assert.equal((await desk.store.ledger.get(two.id))?.status, 'succeeded');
      // Its own thread waits, and gets one message about it.
      const said = desk.chat.said.filter(({ text }) => text.includes('I can’t continue here'));
      assert.equal(said.length, 1);
      const ts = '1700000777.000100';
      const other = threadKey({ team: 'T1', channel: 'C2', ts });
      await receive(desk, other, ts, 'hello');
      await until(() => desk.chat.said.some(({ thread }) => thread === other));
      // Lists skip it, and do not end early.
      const all = await desk.store.ledger.newest({ limit: 1 });
      assert.deepEqual(
        all.map(({ id }) => id),
        [two.id],
      );
      const asked = await desk.desk.listRequested(REQUESTER, { limit: 5 });
      assert.deepEqual(
        [...asked.open, ...asked.over].map(({ id }) => id),
        [two.id],
      );
      assert.equal((await desk.desk.resume(APPROVER)).kind, 'not-paused');
    });

    it('is listed for admins who ask for the status, and for nobody else', async (t) => {
      const scene = await sceneOn(t, kind);
      const [call] = await waiting(scene, ['one']);
      assert.ok(call);
      await scene.records.damage('call', call.id, () => 'x');
      await decide(scene, call);
      await pass(scene);
      const statusFor = async (by: typeof REQUESTER) => {
        const status = await scene.desk.desk.status({ team: 'T1', channel: 'C1', by });
        return status.kind === 'status' ? status.quarantined.map(({ record }) => record.id) : [];
      };
      assert.deepEqual(await statusFor(APPROVER), [call.id]);
      assert.deepEqual(await statusFor(REQUESTER), []);
    });
  });
}

describe('the tasks of a damaged call', () => {
  it('are all woken when it is restored', async (t) => {
    const scene = await sceneOn(t, 'SQLite');
    const [call] = await waiting(scene, ['one']);
    assert.ok(call);
    const mend = await scene.records.damage('call', call.id, () => '');
    const { agenda } = scene.desk.store;
    await agenda.wake([renderCardKey(call), runCallKey(call)].map((key) => ({ key, dueAt: 0 })));
    scene.desk.worker.nudge();
    await pass(scene);
    const parked = (await agenda.deadLetters()).map(({ key }) => key.task).toSorted();
    assert.deepEqual(parked, ['damaged', 'redraw', 'run']);
    await mend();
    await scene.desk.restart();
    await until(async () => (await agenda.deadLetters()).length === 0);
  });
});
