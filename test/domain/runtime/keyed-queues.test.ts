import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyedQueues } from '../../../src/domain/runtime/keyed-queues.ts';

test('jobs of one queue run one after another even after a failure, and queues do not wait for each other', async () => {
  const inQueue = createKeyedQueues();
  const seen: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = inQueue('a', async () => {
    seen.push('first begins');
    await gate;
    throw new Error('spoiled');
  });
  const second = inQueue('a', async () => {
    seen.push('second');
    return 2;
  });
  assert.equal(await inQueue('b', async () => 'beside'), 'beside');
  assert.deepEqual(seen, ['first begins']);
  open();
  await assert.rejects(first, /spoiled/);
  assert.equal(await second, 2);
  assert.deepEqual(seen, ['first begins', 'second']);
});
