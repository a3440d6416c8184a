import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemorySaver } from '@langchain/langgraph';
import { GraphSettingError, loadGraph } from '../../../src/agent/foreign/load-graph.ts';
import { createSystemClock } from '../../../src/system-clock.ts';
import { graphFile } from './graph-desk.ts';

/** Stands for a durable one: what is looked at is whether it is the memory's. */
class KeptSaver extends MemorySaver {}

const deps = { saver: new KeptSaver(), clock: createSystemClock() };
const load = (exported: string, path = graphFile('questions')) =>
  loadGraph({ name: 'questions', path, exported }, deps);

describe('a graph that can’t be served stops the start, with what to do', () => {
  const cases: readonly (readonly [exported: string, sentence: RegExp])[] = [
    [
      'inMemory',
      /keeps its checkpoints in memory, so a restart would lose .* takes a checkpointer/,
    ],
    ['withoutSaver', /has no checkpointer, so a restart would lose .* takes a checkpointer/],
    ['withBreakpoint', /interruptBefore or interruptAfter.* Call interrupt\(\) in the node/],
    ['withoutMessages', /has no “messages” in its state.* MessagesAnnotation/],
    ['failing', /questions\.ts:failing, a function, failed: No key for the model\./],
    ['notAGraph', /is no compiled graph\. Export what compile\(\) or createAgent\(\) returns/],
    ['nothing', /exports no “nothing”\. It exports: .*twice.* Write the right name/],
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

  it('a module that is broken', async () => {
    await assert.rejects(
      load('graph', graphFile('not-there')),
      /can’t be loaded: Cannot find module/,
    );
  });
});

it('a graph with a durable checkpointer of its own is served as it is', async () => {
  const graph = await load('twice');
  assert.equal(graph.name, 'questions');
});
