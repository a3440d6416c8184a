import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { StaleFenceError } from '../../../src/domain/ports/store.ts';
import { holdThread, OTHER_THREAD } from '../../support/store/contract/contract-store.ts';
import { saverContract } from '../../support/store/saver-contract.ts';
import { openStore } from './open-store.ts';

saverContract(openStore);

test('the fence of one thread is invalid for another', async (t) => {
  const bench = await openStore(t);
  const { token } = await holdThread(bench);
  const configurable = { thread_id: OTHER_THREAD, fence_token: token };
  const about = { source: 'update', step: -1, parents: {} } as const;
  await assert.rejects(
    bench.store.saver.put({ configurable }, emptyCheckpoint(), about),
    StaleFenceError,
  );
});
