import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTaskChunk } from '../../../src/slack/outbound/live-message-blocks.ts';

test('a running helper call has a plain name, any other call the name of its tool', () => {
  const title = (tool: string) => toTaskChunk({ id: 'c1', tool, status: 'in_progress' });
  assert.match(JSON.stringify(title('task')), /"title":"A helper’s work"/);
  const named = toTaskChunk({ id: 'c1', tool: 'task', helper: 'worker', status: 'in_progress' });
  assert.match(JSON.stringify(named), /"title":"Helper worker"/);
  assert.match(JSON.stringify(title('read_file')), /"title":"read_file"/);
});
