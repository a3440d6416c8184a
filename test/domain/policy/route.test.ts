import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultGate, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';

test('without a policy, reading tools run and all other calls ask the requester', () => {
  const place = { channel: 'C1', thread: THREAD };
  const facts = { args: {}, risk: 'low', requester: REQUESTER, ...place } as const;
  for (const tool of ['list_files', 'read_file', 'search_files', 'task']) {
    assert.deepEqual(defaultGate({ ...facts, tool }), { kind: 'run' });
  }
  for (const tool of ['write_file', 'run_command', 'search_web', 'fetch_url', 'Read_File', '']) {
    assert.deepEqual(defaultGate({ ...facts, tool }), {
      kind: 'ask',
      route: REQUESTER_ROUTE,
      isDefault: true,
    });
  }
});
