/** Damaged records other than calls. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { advanceTurnKey } from '../../../src/domain/ports/agenda.ts';
import { messageId } from '../../../src/domain/threads/message.ts';
import { APPROVER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { inTurn } from '../../support/sample.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { entries, pass, quarantined, receive, sceneOn, waiting } from '../support/damaged-scene.ts';

const DAMAGES: Readonly<Record<string, (document: string) => string>> = {
  'its JSON is cut off': (document) => document.slice(0, -9),
  'a field of it is gone': (document) => document.replace('"position"', '"pos"'),
};

for (const kind of inTurn(['SQLite', 'Redis'] as const, 1)) {
  describe(`another damaged record on ${kind}`, () => {
    it('that is a queued message does not block later ones, and is processed after it is restored', async (t) => {
      const scene = await sceneOn(t, kind);
      const { desk, records } = scene;
      await desk.store.pause.write({ by: APPROVER, at: 1 }, {});
      await desk.send('first');
      const root = THREAD.split('/')[2] ?? '';
      // It waits behind the first one, whose turn is paused.
      await receive(desk, THREAD, `${root.slice(0, -1)}5`, 'second');
      await receive(desk, THREAD, `${root.slice(0, -1)}6`, 'third');
      const second = messageId({ team: 'T1', channel: 'C1', ts: `${root.slice(0, -1)}5` });
      await desk.rest();
      const mend = await records.damage('message', second, () => '{"text":');
      await desk.store.pause.write(undefined, {});
      desk.model.script(() => sayText('Here.'));
      await desk.store.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: 0 }]);
      await until(() => desk.model.requests.length === 2);
      await pass(scene);
      assert.deepEqual(await quarantined(scene), [`message ${second}`]);
      await mend();
      await desk.restart();
      await until(() => desk.model.requests.length === 3);
      assert.match(JSON.stringify(desk.model.requests.at(-1)), /second/);
    });

    it('that is the message of a turn stops only that thread, which gets a message', async (t) => {
      const scene = await sceneOn(t, kind);
      const { desk, records } = scene;
      await waiting(scene, ['one']);
      const current = await desk.store.inbox.current(THREAD);
      assert.ok(current);
      const mend = await records.damage('message', current.id, () => '[]');
      await desk.store.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: 0 }]);
      desk.worker.nudge();
      await pass(scene);
      assert.deepEqual(await quarantined(scene), [`message ${current.id}`]);
      assert.ok(desk.chat.said.some(({ text }) => text.includes('I can’t continue here')));
      assert.deepEqual(await desk.store.inbox.ongoing({ team: 'T1' }), []);
      await mend();
      await desk.restart();
      await until(async () => (await quarantined(scene)).length === 0);
      const [call] = await desk.calls();
      assert.ok(call);
      await desk.decide(call, REQUESTER);
      await until(() => desk.chat.said.at(-1)?.text === 'Done.');
    });

    it('that is one of two in a thread is reported once, like the other', async (t) => {
      const scene = await sceneOn(t, kind);
      const { desk, records } = scene;
      await waiting(scene, ['one']);
      const current = await desk.store.inbox.current(THREAD);
      assert.ok(current);
      const ts = `${(THREAD.split('/')[2] ?? '').slice(0, -1)}7`;
      const queued = messageId({ team: 'T1', channel: 'C1', ts });
      await records.damage('message', current.id, () => '{');
      await receive(desk, THREAD, ts, 'and more');
      await records.damage('message', queued, () => '{');
      await desk.store.inbox.waiting(THREAD);
      await pass(scene);
      await desk.restart();
      await pass(scene);
      assert.deepEqual(
        [...(await quarantined(scene))].toSorted(),
        [`message ${current.id}`, `message ${queued}`].toSorted(),
      );
      assert.equal((await entries(scene, 'record.quarantine')).length, 2);
      assert.equal((await entries(scene, 'record.restored')).length, 0);
    });

    for (const [how, change] of Object.entries(DAMAGES)) {
      it(`that is a recorded message of a turn stops only that thread: ${how}`, async (t) => {
        const scene = await sceneOn(t, kind);
        const { desk, records, tool } = scene;
        await waiting(scene, ['one']);
        const [call] = await desk.calls();
        assert.ok(call);
        const mend = await records.damage('turn', call.turn, change);
        await desk.decide(call, REQUESTER);
        await pass(scene);
        assert.deepEqual(await quarantined(scene), [`turn ${call.turn}`]);
        assert.equal(desk.model.requests.length, 1);
        await mend();
        await desk.restart();
        await until(() => desk.chat.said.at(-1)?.text === 'Done.');
        assert.deepEqual(
          tool.runs.map(({ note }) => note),
          ['one'],
        );
        assert.deepEqual(await quarantined(scene), []);
      });
    }

    it('that is an outbox message does not block later ones, and is posted after it is restored', async (t) => {
      const scene = await sceneOn(t, kind);
      const { desk, records } = scene;
      const say = (id: string) => ({
        id,
        thread: THREAD,
        kind: 'notice' as const,
        text: `This is ${id}.`,
        createdAt: 1,
      });
      await desk.store.outbox.add([say('one'), say('two')], []);
      const mend = await records.damage('say', 'one', () => '{"text":5}');
      await desk.store.agenda.wake([{ key: { task: 'say', id: THREAD }, dueAt: 0 }]);
      desk.worker.nudge();
      await until(() => desk.chat.said.some(({ id }) => id === 'two'));
      await pass(scene);
      assert.deepEqual(await quarantined(scene), ['say one']);
      await mend();
      await desk.restart();
      await until(() => desk.chat.said.some(({ id }) => id === 'one'));
    });

    it('that is a task of an unknown kind becomes a dead letter at once, and blocks nothing', async (t) => {
      const scene = await sceneOn(t, kind);
      const { desk } = scene;
      await desk.store.agenda.wake([
        { key: { task: 'nonsense' as 'pump', id: 'x' }, dueAt: 0 },
        { key: { task: '' as 'pump', id: '' }, dueAt: 0 },
      ]);
      desk.model.script(() => sayText('Here.'));
      await desk.send('hello');
      assert.equal(desk.chat.said.at(-1)?.text, 'Here.');
      await until(async () => (await desk.store.agenda.deadLetters()).length === 2);
    });
  });
}
