import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { MemorySaver } from '@langchain/langgraph';
import { GraphSettingError, loadGraph } from '../../../src/agent/graphs/load-graph.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { graphFile } from './graph-desk.ts';

/** Stands for a durable saver: the check only rejects the one in memory. */
class KeptSaver extends MemorySaver {}

const deps = { saver: new KeptSaver(), clock: createSystemClock() };
const load = (exported: string, path = graphFile('questions')) =>
  loadGraph({ name: 'questions', path, exported }, deps);

describe('a graph that cannot be served stops the start with the remedy', () => {
  const cases: readonly (readonly [exported: string, sentence: RegExp])[] = [
    [
      'inMemory',
      /keeps its checkpoints in memory, so a restart would lose .* takes the app’s durable checkpointer/,
    ],
    [
      'withoutSaver',
      /has no checkpointer, so a restart would lose .* takes the app’s durable checkpointer/,
    ],
    ['withBreakpoint', /interruptBefore or interruptAfter.* Call interrupt\(\) in the node/],
    ['withoutMessages', /has no “messages” in its state.* MessagesAnnotation/],
    ['failing', /questions\.ts:failing, a function, failed: No key for the model\./],
    ['notAGraph', /is not a compiled graph\. Export what compile\(\) or createAgent\(\) returns/],
    ['nothing', /exports no “nothing”\. It exports: .*twice.* Write one of these names/],
  ];
  for (const [exported, sentence] of cases) {
    it(exported, async () => {
      await assert.rejects(load(exported), (error) => {
        assert.ok(error instanceof GraphSettingError);
        assert.match(error.message, sentence);
        return true;
      });
    });
  }

  it('a function that never ends', async () => {
    const clock = createManualClock();
    const path = graphFile('questions');
    let tellAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    const saver = Object.assign(new KeptSaver(), { tellAsked });
    const loading = loadGraph({ name: 'q', path, exported: 'never' }, { saver, clock });
    const refused = assert.rejects(
      loading,
      /questions\.ts:never, a function, failed: it did not return a graph/,
    );
    await asked;
    await clock.advance(30_000);
    await refused;
  });

  it('a module that is broken', async () => {
    await assert.rejects(
      load('graph', graphFile('not-there')),
      /can’t be loaded: Cannot find module/,
    );
  });
});

it('a graph with its own durable checkpointer is served as it is', async () => {
  const graph = await load('twice');
  assert.equal(graph.name, 'questions');
});

it('the middleware of the package needs no compiler, as an ES module or CommonJS', async (t) => {
  const { path: folder, remove } = await makeTempDir();
  t.after(remove);
  const root = new URL('../../../', import.meta.url).pathname;
  const { exports, files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const file = String(exports['./middleware'].default);
  assert.ok(files.includes(file.split('/')[1]));
  const modules = join(folder, 'node_modules');
  for (const part of ['package.json', file]) {
    await mkdir(dirname(join(modules, 'countersign', part)), { recursive: true });
    await cp(join(root, part), join(modules, 'countersign', part));
  }
  for (const name of ['langchain', '@langchain']) {
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  const main = `
    import { createRequire } from 'node:module';
    import { perCallApprovals } from 'countersign/middleware';
    const required = createRequire(import.meta.url)('countersign/middleware');
    console.log(perCallApprovals().name, required.perCallApprovals().name);`;
  await writeFile(join(folder, 'main.mjs'), main);
  const { stdout, stderr } = spawnSync(process.execPath, ['main.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.equal(stdout, 'PerCallApprovals PerCallApprovals\n', stderr);
});
