/** Helpers of one agent as people use them: at once, in any order, across a crash. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allText, type Place } from '../../support/app/scene.ts';
import { playAgents, toldOf, turnOf } from '../../support/desk/play-agents.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/until.ts';
import { call, type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

const TOOLS = fileURLToPath(new URL('../../fixtures/tools/helper-tools.ts', import.meta.url));
const APP = fileURLToPath(new URL('../../fixtures/apps/payer-gate-app.ts', import.meta.url));

describe('helpers', () => {
  let stage: FieldStage;
  let temp: Awaited<ReturnType<typeof makeTempDir>>;

  before(async () => {
    temp = await makeTempDir();
    const approverFile = join(temp.path, 'approver');
    stage = await setFieldStage('http', { TOOLS_MODULE: TOOLS, PAYER_APPROVER: approverFile }, APP);
    await writeFile(approverFile, stage.workspace.member('approver').id);
  });
  after(async () => {
    await stage.close();
    await temp.remove();
  });

  const task = (agent: string, prompt: string) => call('task', { agent, prompt });
  const note = (text: string) => call('note', { text });

  async function approve(member: string, place: Place, ...parts: readonly string[]): Promise<void> {
    const card = await stage.card(place, ...parts, 'Waiting for a decision');
    await stage.press(member, card, 'call.approve');
    await stage.card(place, parts[0] ?? '', 'Done');
  }

  async function approveLine(member: string, place: Place, text: string): Promise<void> {
    const line = await stage.line(place, text, 'Waiting for a decision');
    await stage.pressLine(member, line, 'call.approve');
    await stage.line(place, text, 'Done');
  }

  // A card shows part of a digest, so the text to find it by must not be hexadecimal.
  it('three at once, each with two calls, decided in mixed order by two people, with kill -9 in between', async () => {
    const [ASKED = '', ...TASKS] = ['please set up the office', 'scout it', 'pay it', 'file it'];
    const [SCOUT = '', PAY = '', FILE = ''] = TASKS;
    playAgents(stage.model, {
      [ASKED]: [
        sayCalls([task('scout', SCOUT), task('payer', PAY), task('clerk', FILE)]),
        sayText('The office is set up.'),
      ],
      [SCOUT]: [sayCalls([note('s1'), note('s2')]), sayText('It is scouted.')],
      [PAY]: [
        sayCalls([call('pay', { amount: 7, reference: 'p1' }), note('p2')]),
        sayText('It is paid.'),
      ],
      [FILE]: [sayCalls([note('k1')]), sayCall('note', { text: 'k2' }), sayText('It is filed.')],
    });
    const place = await stage.ask('requester', ASKED);
    const { id } = stage.workspace.member('requester');
    const card = await stage.card(place, 'p1', 'payer (task 2 of 3), for', `<@${id}>`, ASKED);
    const said = allText(card);
    const label = said.indexOf('as written by an agent');
    assert.ok(label > said.indexOf(ASKED) && said.indexOf(PAY) > label, said);
    assert.equal(said.split(PAY).length, 2, 'The card quotes the agent as if it were a person.');
    await stage.press('requester', card, 'call.approve-all');
    await stage.privately('requester', 'Only');

    await approve('requester', place, 'k1');
    await approveLine('approver', place, 'p2');
    await stage.restart('kill');
    await stage.card(place, 's1', 's2', 'scout (task 1 of 3), for');
    await approveLine('requester', place, 's2');
    await approveLine('approver', place, 'Pay: 7');
    await approve('requester', place, 'k2', 'clerk (task 3 of 3), for');
    await approveLine('requester', place, 's1');

    await stage.answer(place, 'The office is set up.');
    await stage.settled();
    const told = [SCOUT, PAY, FILE, ASKED].map((text) => toldOf(stage.model, text));
    assert.deepEqual(told, [
      ['note is done.', 'note is done.'],
      ['pay is done.', 'note is done.'],
      ['note is done.', 'note is done.'],
      ['It is scouted.', 'It is paid.', 'It is filed.'],
    ]);
    const runs = (await stage.runs()).map(({ args }) => Object.values(args as object).at(-1));
    assert.deepEqual(runs, ['k1', 'p2', 's2', 'p1', 'k2', 's1']);
    // The question, a card for each message with calls, and one answer: helpers post nothing themselves.
    assert.equal(stage.cards(place).length, 4);
    const seenByAll = stage.thread(place).filter(({ visibleTo }) => visibleTo === undefined);
    assert.equal(seenByAll.length, 6);
    assert.deepEqual(stage.model.refusals, []);
  });

  it('restart after kill -9 during their model call, and nothing is posted twice', async () => {
    const asked = new Map<string, number>();
    stage.model.script((request) => {
      const { text, asked: answered } = turnOf(request);
      const times = (asked.get(text) ?? 0) + 1;
      asked.set(text, times);
      if (text !== 'think of it') return times === 1 ? { kind: 'hang', deltas: [] } : sayText(text);
      return answered === 0
        ? sayCalls([task('scout', 'one'), task('clerk', 'two')])
        : sayText('Both have thought.');
    });
    const place = await stage.ask('requester', 'think of it');
    await until(() => asked.has('one') && asked.has('two'));
    await stage.restart('kill');
    await stage.answer(place, 'Both have thought.');
    await stage.settled();
    assert.deepEqual(toldOf(stage.model, 'think of it'), ['one', 'two']);
    assert.deepEqual([...asked.values()], [2, 2, 2]);
    assert.equal(stage.thread(place).length, 2);
  });
});
