import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStopSignals } from '../../../src/desk/control/stop-signals.ts';
import { watchStops } from '../../../src/desk/control/watch-stops.ts';
import type { InboxMessage } from '../../../src/domain/threads/message.ts';
import { type ThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { aMessage } from '../../support/store/contract/contract-store.ts';

const silent = () => {};
const OTHER_THREAD = threadKey({ team: 'T1', channel: 'C2', ts: '1.1' });

function aWatch(current: (thread: ThreadKey) => Promise<InboxMessage | undefined>) {
  const clock = createManualClock();
  const signals = createStopSignals();
  const warnings: unknown[] = [];
  const log = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (about: unknown) => void warnings.push(about),
  };
  const cancel = watchStops({ inbox: { current }, signals, clock, log });
  return { cancel, clock, signals, warnings };
}

test('work of a thread that another process stopped is aborted, and nothing else', async () => {
  let message: InboxMessage = aMessage('1.1');
  const { cancel, clock, signals } = aWatch(async (thread) =>
    thread === THREAD ? message : undefined,
  );
  const stopped = signals.watch(THREAD);
  const other = signals.watch(OTHER_THREAD);
  await clock.advance(500);
  assert.equal(stopped.signal.aborted, false);
  message = { ...message, stopped: { by: REQUESTER, at: clock.now() } };
  await clock.advance(500);
  assert.equal(stopped.signal.aborted, true);
  assert.equal(other.signal.aborted, false);
  cancel();
  assert.equal(clock.pendingCount, 0);
});

test('a failed store read is retried', async () => {
  let asked = 0;
  const { cancel, clock, signals, warnings } = aWatch(async () => {
    asked += 1;
    if (asked === 1) throw new Error('no line');
    return { ...aMessage('1.1'), stopped: { by: REQUESTER, at: 1 } };
  });
  const { signal } = signals.watch(THREAD);
  await clock.advance(500);
  assert.equal(warnings.length, 1);
  await clock.advance(500);
  assert.equal(signal.aborted, true);
  cancel();
});
