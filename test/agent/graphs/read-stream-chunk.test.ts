import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { readStreamChunk } from '../../../src/agent/graphs/read-stream-chunk.ts';

const root = { langgraph_checkpoint_ns: 'model:1' };

it('the words of the graph’s own model are read, here and from a server, in text and in parts', () => {
  const chunk = new AIMessageChunk({ id: 'm1', content: 'Hel' });
  assert.deepEqual(readStreamChunk([chunk, root]), { text: 'Hel', id: 'm1' });
  const remote = { type: 'AIMessageChunk', id: 'm1', content: [{ type: 'text', text: 'lo' }] };
  assert.deepEqual(readStreamChunk([remote, root]), { text: 'lo', id: 'm1' });
});

it('what a helper inside of it says, what people and tools say, and what says nothing is not', () => {
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
