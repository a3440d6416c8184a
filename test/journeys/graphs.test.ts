/** Graphs of others as the agent, over the real app: what people decide is what happens. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allText } from '../support/scene.ts';
import { type Stage, setStage } from '../support/stage.ts';

const graphFile = (name: string) =>
  fileURLToPath(new URL(`../fixtures/graphs/${name}.ts`, import.meta.url));

describe('createAgent with the middleware of its makers, unchanged', () => {
  let folder: string;
  let stage: Stage;
  const ran = async () => {
    const lines = await readFile(join(folder, 'journal'), 'utf8').catch(() => '');
    return lines.split('\n').flatMap((line) => (line.startsWith('ran ') ? [line.slice(4)] : []));
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-graphs-'));
    stage = await setStage('http', {
      GRAPH: `${graphFile('their-middleware')}:graph`,
      GRAPH_JOURNAL: join(folder, 'journal'),
    });
  });
  after(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  it('a batch has a card for each call, and what each person decided happens', async () => {
    const place = await stage.ask('requester', 'delete 4');
    const cards = await Promise.all([1, 2, 3, 4].map((n) => stage.card(place, `file-${n}`)));
    const [one, two, three, four] = cards;
    assert.ok(one && two && three && four);
    await stage.press('requester', one, 'call.approve');
    await stage.press('requester', two, 'call.ignore');
    await stage.press('requester', three, 'call.edit');
    await stage.form('requester', 'Edit the call');
    await stage.workspace.submit('requester', { path: 'file-33' });
    assert.deepEqual(await ran(), []);
    await stage.press('requester', four, 'call.reply');
    await stage.form('requester', 'Answer the agent');
    await stage.workspace.submit('requester', { text: 'Keep that one, please.' });
    const said = await stage.answer(place, 'So it went');
    for (const m of stage.thread(place)) console.log('>>', allText(m));
    assert.deepEqual(await ran(), ['file-1', 'file-33']);
  });
});
