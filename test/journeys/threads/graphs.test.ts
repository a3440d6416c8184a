/** A third-party agent as the agent of the app, unchanged: the decision of each person is applied. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Place } from '../../support/app/scene.ts';
import { type Stage, setStage } from '../../support/app/stage.ts';

const AGENT = fileURLToPath(new URL('../../fixtures/graphs/their-middleware.ts', import.meta.url));

describe('createAgent with its own middleware, in the real app', () => {
  let folder: string;
  let stage: Stage;
  const ran = async () => {
    const lines = await readFile(join(folder, 'journal'), 'utf8').catch(() => '');
    return lines.split('\n').flatMap((line) => (line.startsWith('ran ') ? [line.slice(4)] : []));
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-graphs-'));
    stage = await setStage('http', {
      GRAPH: `${AGENT}:graph`,
      GRAPH_JOURNAL: join(folder, 'journal'),
      // No model: the graph brings its own.
      OPENAI_BASE_URL: '',
    });
  });
  after(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  async function press(place: Place, file: string, action: string): Promise<void> {
    const line = await stage.line(place, file, 'Waiting for a decision');
    await stage.pressLine('requester', line, `call.${action}`);
  }

  it('shows a batch as one card with a line per call, and applies mixed decisions, through a crash', async () => {
    const place = await stage.ask('requester', 'delete 4');
    await press(place, 'file-1', 'approve');
    await press(place, 'file-2', 'ignore');
    await press(place, 'file-3', 'edit');
    await stage.form('requester', 'Edit the call');
    await stage.workspace.submit('requester', { path: 'file-33' });
    await stage.line(
      place,
      'file-1',
      'approved by',
      'Handed over',
      'once the other calls from this message are decided',
    );
    await stage.line(place, 'file-33', 'The graph runs it itself');
    await stage.restart('kill');
    assert.deepEqual(await ran(), []);
    await press(place, 'file-4', 'reply');
    await stage.form('requester', 'Reply to the agent');
    await stage.workspace.submit('requester', { text: 'Keep that one, please.' });
    await stage.answer(place, 'So it went: Deleted file-1. / ');
    assert.deepEqual(await ran(), ['file-1', 'file-33']);
    for (const file of ['file-1', 'file-33']) {
      await stage.openLine('requester', await stage.line(place, file, 'Done'));
      await stage.view('requester', `Deleted ${file}.`);
      await stage.workspace.close('requester');
    }
    await stage.line(place, 'file-2', 'Ignored');
    await stage.line(place, 'file-4', 'Replied', 'Keep that one, please.');
    assert.equal(stage.cards(place).length, 1);
  });

  it('continues the thread with the memory of the agent', async () => {
    const place = await stage.ask('requester', 'hello');
    await stage.answer(place, 'You said: hello (1)');
    await stage.write('requester', place, 'and again');
    await stage.answer(place, 'You said: and again (3)');
  });
});
