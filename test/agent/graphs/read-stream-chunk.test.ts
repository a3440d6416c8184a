import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { readStreamChunk } from '../../../src/agent/graphs/read-stream-chunk.ts';

const root = { langgraph_checkpoint_ns: 'model:1' };

it('text of the graph’s own model is read, local or from a server, as a string or in parts', () => {
  const chunk = new AIMessageChunk({ id: 'm1', content: 'Hel' });
  assert.deepEqual(readStreamChunk([chunk, root]), { text: 'Hel', id: 'm1' });
  const remote = { type: 'AIMessageChunk', id: 'm1', content: [{ type: 'text', text: 'lo' }] };
  assert.deepEqual(readStreamChunk([remote, root]), { text: 'lo', id: 'm1' });
});

it('text of an inner helper, of people and of tools is not read, and neither are empty chunks', () => {
  const chunk = new AIMessageChunk({ id: 'm1', content: 'Hidden' });
  const inside = { langgraph_checkpoint_ns: 'tools:1|model:2' };
  const silent = [
    [chunk, inside],
    [new HumanMessage('Hi'), root],
    [new ToolMessage({ content: 'Done', tool_call_id: 'c1' }), root],
    [new AIMessageChunk({ id: 'm1', content: '' }), root],
    'nonsense',
  ];
  for (const piece of silent) assert.equal(readStreamChunk(piece), undefined);
});
