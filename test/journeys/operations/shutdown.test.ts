/** SIGTERM during work: no new work starts, running work ends if it can, and the next start does the rest. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allText, type Place } from '../../support/app/scene.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import {
  buttonsOf,
  type FieldStage,
  sayCall,
  setFieldStage,
} from '../field-reports/field-stage.ts';

const APP = fileURLToPath(new URL('../../fixtures/apps/short-grace-app.ts', import.meta.url));
const TURNS = 20;
const UNKNOWN = 'This may have run';

describe('SIGTERM', () => {
  let stage: FieldStage;
  let isDown = false;
  before(async () => {
    stage = await setFieldStage('http', {}, APP);
  });
  after(() => stage.close());

  /** Turns whose model call lasts until the process ends, and running tools. */
  async function startWork(mark: string): Promise<{ turns: Place[]; tools: Map<string, Place> }> {
    isDown = false;
    let thinking = 0;
    stage.model.script((request) => {
      const text = String(request.messages.findLast(({ role }) => role === 'user')?.content);
      const [, tool, note] = /run (hold|deaf) (\S+)/.exec(text) ?? [];
      const hasRun = request.messages.at(-1)?.role === 'tool';
      if (tool !== undefined && !hasRun) return sayCall(tool, { note });
      if (tool !== undefined || isDown) return sayText(`At last: ${/\S+$/.exec(text.trim())}`);
      thinking += 1;
      return { kind: 'hang', deltas: ['Well'] };
    });
    const tools = new Map<string, Place>();
    for (const [tool, name] of [
      ['hold', 'ends-1'],
      ['hold', 'ends-2'],
      ['hold', 'heeds-1'],
      ['hold', 'heeds-2'],
      ['deaf', 'deaf'],
    ] as const) {
      const note = `${mark}-${name}`;
      const place = await stage.ask('requester', `run ${tool} ${note}`, 'ops');
      tools.set(name, place);
      const card = await stage.card(place, note, 'Waiting for a decision');
      await stage.press('requester', card, 'call.approve');
      await stage.card(place, note, 'Running');
    }
    const turns: Place[] = [];
    for (let n = 0; n < TURNS; n += 1) {
      turns.push(await stage.ask('requester', `think ${mark}-turn-${n}`));
    }
    await until(() => thinking === TURNS);
    return { turns, tools };
  }

  /** What the next start does; `ended` are the tools that could end before. */
  async function assertContinues(
    mark: string,
    { turns, tools }: Awaited<ReturnType<typeof startWork>>,
    ended: readonly string[],
  ): Promise<void> {
    isDown = true;
    await stage.startAgain();
    for (const [n, place] of turns.entries()) await stage.answer(place, `${mark}-turn-${n}`);
    for (const [name, place] of tools) {
      const card = await stage.card(
        place,
        `${mark}-${name}`,
        ended.includes(name) ? 'Done' : UNKNOWN,
      );
      assert.equal(buttonsOf(card).includes('call.settle-ran'), !ended.includes(name));
      if (ended.includes(name)) await stage.answer(place, 'At last');
    }
    await stage.settled();
    const began = (await stage.runs())
      .filter(({ tool }) => tool.endsWith('.begin'))
      .map(({ args }) => JSON.stringify(args));
    assert.equal(new Set(began).size, began.length, 'A tool ran twice.');
    for (const place of turns) {
      const said = stage.thread(place).filter((message) => allText(message).includes('At last'));
      assert.equal(said.length, 1);
    }
    assert.deepEqual(stage.model.refusals, []);
  }

  it('with twenty turns and five tools running ends in time and loses nothing', async () => {
    const filled = await startWork('one');
    const asked = stage.asked();
    const since = Date.now();
    const stopping = stage.app().stop();
    await until(async () => (await fetch(`${stage.app().url}/readyz`)).status === 503);
    assert.ok(Date.now() - since < 2_000, 'It was ready for long after the signal.');
    const late = await stage.ask('requester', 'think one-late');
    for (const name of ['ends-1', 'ends-2']) await stage.release(`one-${name}`);
    assert.equal(await stopping, 0);
    assert.ok(Date.now() - since < 12_000, `It took ${Date.now() - since} ms.`);
    assert.equal(stage.asked(), asked, 'Something new was begun.');
    await assertContinues('one', filled, ['ends-1', 'ends-2']);
    await stage.answer(late, 'one-late');
  });

  it('sent a second time ends the app at once, and nothing is lost either', async () => {
    const filled = await startWork('two');
    const first = stage.app().stop();
    await until(() => stage.app().output().includes('Stopping.'));
    // Sooner it would count as the same press, forwarded by npm.
    await new Promise((resolve) => setTimeout(resolve, 600));
    const since = Date.now();
    assert.equal(await stage.app().stop(), 143);
    assert.ok(Date.now() - since < 1_000, `It took ${Date.now() - since} ms.`);
    await first;
    await assertContinues('two', filled, []);
  });
});
