import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createToolListReader } from '../../../../src/agent/mcp/listing/tool-list-reader.ts';

it('a list is read tool by tool without blocking others, and unchanged entries are not read again', async () => {
  const read = createToolListReader('box');
  const tool = (name: string, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
  let served = 0;
  const serve = () => {
    served += 1;
    timer = setImmediate(serve);
  };
  let timer = setImmediate(serve);
  const first = await read([tool('a'), tool('b'), tool('c'), { name: 'broken' }]);
  clearImmediate(timer);
  assert.ok(served >= 3, `Others were served ${served} times.`);
  assert.deepEqual(
    first.map(({ kind }) => kind),
    ['tool', 'tool', 'tool', 'left-out'],
  );
  const second = await read([tool('c'), tool('b', { description: 'Other.' }), tool('a')]);
  assert.equal(second[0], first[2]);
  assert.notEqual(second[1], first[1]);
  assert.equal(second[2], first[0]);
});
