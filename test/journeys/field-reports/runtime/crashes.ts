/** Process crashes during work, and outside changes to the data, over both transports. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Place } from '../../../support/app/scene.ts';
import type { Delivery } from '../../../support/app/stage.ts';
import { sayText } from '../../../support/servers/mock-model.ts';
import { until } from '../../../support/until.ts';
import { buttonsOf, type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';

/** Registers the journeys for one transport. */
export function crashJourneys(delivery: Delivery): void {
  describe(`crashes over ${delivery}`, () => {
    let stage: FieldStage;
    before(async () => {
      stage = await setFieldStage(delivery);
    });
    after(() => stage.close());

    /** A tool that runs until it is released. */
    async function runHold(note: string): Promise<Place> {
      stage.play(sayCall('hold', { note }));
      const place = await stage.ask('requester', 'hold it');
      const card = await stage.card(place, note, 'Waiting for a decision');
      await stage.press('requester', card, 'call.approve');
      await stage.card(place, note, 'Running');
      return place;
    }

    const begun = async (note: string) =>
      (await stage.runs()).filter(
        ({ tool, args }) =>
          tool === 'hold.begin' && JSON.stringify(args) === JSON.stringify({ note }),
      ).length;

    for (const [action, words, runs] of [
      ['call.settle-ran', 'A person checked: it ran', 1],
      ['call.settle-leave', 'A person checked: it did not run', 1],
      ['call.settle-rerun', 'hold is done', 2],
    ] as const) {
      it(`kill -9 during a tool asks people what happened, ${action} settles it, and the thread continues`, async () => {
        const note = action;
        const place = await runHold(note);
        await stage.restart('kill');
        const card = await stage.card(place, note, 'This may have run');
        assert.deepEqual(buttonsOf(card), [
          'call.settle-ran',
          'call.settle-rerun',
          'call.settle-leave',
          'call.open',
        ]);
        assert.equal(stage.cards(place).length, 1);
        await stage.settled();
        assert.equal(await begun(note), 1);
        await stage.press('outsider', card, action);
        await stage.privately('outsider', 'Only');
        await stage.release(note);
        stage.play(sayText('Good to know.'), sayText('On we go.'));
        await stage.press('requester', card, action);
        await stage.answer(place, 'Good to know.');
        assert.ok((stage.toolMessages()[0] ?? '').includes(words), stage.toolMessages()[0]);
        assert.equal(await begun(note), runs);
        await stage.write('requester', place, 'go on');
        await stage.answer(place, 'On we go.');
        await stage.press('requester', card, action).then(
          () => assert.fail('The settled card has its buttons still.'),
          (error: unknown) => assert.match(String(error), /action|button|element/i),
        );
      });
    }

    it('kill -9 while the model answers asks the model again, and nothing is posted twice', async () => {
      let asked = 0;
      stage.model.script(() => {
        asked += 1;
        return asked === 1 ? { kind: 'hang', deltas: ['Let me'] } : sayText('After the crash.');
      });
      const place = await stage.ask('requester', 'answer me');
      await until(() => asked === 1);
      await stage.restart('kill');
      await stage.answer(place, 'After the crash.');
      await stage.settled();
      assert.equal(stage.thread(place).length, 2);
      assert.equal(asked, 2);
    });

    it('SIGTERM lets a running tool end, and its result is posted, at the latest after the next start', async () => {
      const note = `term-${delivery}`;
      const place = await runHold(note);
      stage.model.script(() => sayText('It had ended well.'));
      const stopping = stage.app().stop();
      await until(() => stage.app().output().includes('Stopping.'));
      await stage.release(note);
      assert.equal(await stopping, 0);
      await stage.startAgain();
      await stage.answer(place, 'It had ended well.');
      await stage.settled();
      assert.equal(stage.thread(place).length, 3);
      assert.match(stage.toolMessages()[0] ?? '', /hold is done/);
      await stage.card(place, note, 'Done');
      assert.equal(await begun(note), 1);
    });

    it('SIGTERM during a pending card ends the app at once, and the card works after the next start', async () => {
      stage.play(sayCall('note', { text: 'patient' }));
      const place = await stage.ask('requester', 'note it');
      const card = await stage.card(place, 'patient', 'Waiting for a decision');
      const since = Date.now();
      assert.equal(await stage.app().stop(), 0);
      assert.ok(Date.now() - since < 5_000, `It took ${Date.now() - since} ms.`);
      await stage.startAgain();
      stage.play(sayText('It is noted.'));
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'It is noted.');
      assert.equal(stage.cards(place).length, 1);
    });

    for (const when of ['while it waits', 'while the app is down'] as const) {
      it(`stored arguments changed ${when} never run, and people are told`, async () => {
        const before = (await stage.runs()).length;
        stage.play(sayCall('pay', { amount: 10, reference: when }), sayText('I see.'));
        const place = await stage.ask('requester', 'pay');
        const card = await stage.card(place, when, 'Waiting for a decision');
        const change = () =>
          stage.sql(
            `UPDATE records SET document = replace(document, '\\"amount\\":10,', '\\"amount\\":1000,')
             WHERE key LIKE 'call/%' AND json_extract(document, '$.status') = 'pending' AND document LIKE ?`,
            `%${when}%`,
          );
        if (when === 'while it waits') change();
        else {
          await stage.app().kill();
          change();
          await stage.startAgain();
        }
        await stage.press('requester', card, 'call.approve');
        await stage.answer(place, 'I see.');
        const failed = await stage.card(place, 'Failed');
        assert.deepEqual(buttonsOf(failed), ['call.open']);
        assert.equal((await stage.runs()).length, before);
        assert.match(stage.toolMessages()[0] ?? '', /had been changed/);
        assert.ok(stage.audit('call.integrity').length > 0);
        await stage.press('requester', failed, 'call.open');
        await stage.view('requester', 'integrity_error');
        await stage.view('requester', 'Nothing was run');
        await stage.workspace.close('requester');
      });
    }

    it('every request to the model was in a valid order', () => {
      assert.deepEqual(stage.model.refusals, []);
    });
  });
}
