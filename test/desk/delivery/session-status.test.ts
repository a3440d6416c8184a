/** How threads stand, as sessions: the newest wins, `processing` is renewed, and what fails for now is tried again. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import {
  createSessionStatusWriter,
  type SessionStatusWriter,
} from '../../../src/desk/delivery/session-status.ts';
import {
  ChatError,
  type SessionStatus,
  type ThreadStatus,
} from '../../../src/domain/ports/chat.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

const THREAD = 'T1/C1/1.1' as ThreadKey;
const MINUTE = 60_000;
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const as = (session: SessionStatus): ThreadStatus => ({ session, words: '' });

describe('the statuses of threads', () => {
  let clock: ManualClock;
  let set: (readonly [ThreadKey, SessionStatus])[];
  let failures: ChatError[];
  let how: 'session' | 'words';
  let line: SessionStatusWriter;
  beforeEach(() => {
    clock = createManualClock(0);
    set = [];
    failures = [];
    how = 'session';
    const chat = {
      async setStatus(thread: ThreadKey, { isRepeat, session }: ThreadStatus) {
        // A session stands: as in Slack, it is not set again by a repeat.
        if (isRepeat) return how;
        set.push([thread, session]);
        const failure = failures.shift();
        if (failure) throw failure;
        return how;
      },
    };
    line = createSessionStatusWriter({ chat, clock, log });
  });

  const statuses = () => set.map(([, session]) => session);
  async function pass(ms: number): Promise<void> {
    await clock.advance(ms);
    await line.settled();
  }

  it('renews work of hours before Slack takes it for over, and stops when it ends', async () => {
    line.set(THREAD, as('processing'));
    await line.settled();
    for (let minutes = 0; minutes < 150; minutes += 10) await pass(10 * MINUTE);
    assert.deepEqual(statuses(), ['processing', 'processing', 'processing', 'processing']);
    line.set(THREAD, as('active'));
    await pass(120 * MINUTE);
    assert.deepEqual(statuses().slice(4), ['active']);
  });

  it('renews nothing while people are waited for, nor where statuses are words', async () => {
    line.set(THREAD, as('processing'));
    await line.settled();
    line.set(THREAD, as('suspended'));
    await pass(120 * MINUTE);
    how = 'words';
    line.set(THREAD, as('processing'));
    await pass(120 * MINUTE);
    assert.deepEqual(statuses(), ['processing', 'suspended', 'processing']);
  });

  it('takes what is said again for news where people see another status', async () => {
    line.set(THREAD, as('suspended'));
    await line.settled();
    for (const session of ['suspended', 'processing', 'processing'] as const) {
      line.set(THREAD, { ...as(session), isRepeat: true });
      await line.settled();
    }
    line.set(THREAD, as('processing'));
    await line.settled();
    assert.deepEqual(statuses(), ['suspended', 'processing']);
  });

  it('takes what is said again for news where another process has set the status', async () => {
    for (let time = 0; time < 2; time += 1) {
      line.set(THREAD, { ...as('processing'), isRepeat: true });
      await line.settled();
    }
    assert.deepEqual(statuses(), ['processing']);
  });

  it('does not say the same again within half a minute, but always that a turn is over', async () => {
    for (const session of ['processing', 'processing', 'active', 'active'] as const) {
      line.set(THREAD, as(session));
      await line.settled();
    }
    assert.deepEqual(statuses(), ['processing', 'active', 'active']);
    line.set(THREAD, as('suspended'));
    await line.settled();
    await pass(31_000);
    line.set(THREAD, as('suspended'));
    await line.settled();
    assert.deepEqual(statuses().slice(3), ['suspended', 'suspended']);
  });

  it('tries again what Slack asks to wait for, unless something newer was said', async () => {
    failures.push(new ChatError('rate-limited', 'Slow down.', { retryAfterMs: 9_000 }));
    line.set(THREAD, as('active'));
    await line.settled();
    await pass(8_999);
    assert.deepEqual(statuses(), ['active']);
    await pass(1);
    assert.deepEqual(statuses(), ['active', 'active']);
    failures.push(new ChatError('temporary', 'Broken.'));
    line.set(THREAD, as('suspended'));
    await line.settled();
    line.set(THREAD, as('processing'));
    await pass(MINUTE);
    assert.deepEqual(statuses().slice(2), ['suspended', 'processing']);
  });

  it('gives up on what Slack refuses', async () => {
    failures.push(new ChatError('rejected', 'No.'));
    line.set(THREAD, as('active'));
    await pass(10 * MINUTE);
    assert.deepEqual(statuses(), ['active']);
  });

  it('sets what nobody looks at one by one, and not over what came meanwhile', async () => {
    const others = Array.from({ length: 3 }, (_, i) => `T1/C1/2.${i}` as ThreadKey);
    for (const thread of others) line.setLater(thread, as('active'));
    await pass(3_000);
    assert.deepEqual(set, [[others[0], 'active']]);
    line.set(others[1] as ThreadKey, as('processing'));
    await pass(3_000);
    await pass(3_000);
    assert.deepEqual(set.slice(1), [
      [others[1], 'processing'],
      [others[2], 'active'],
    ]);
  });

  it('renews and retries nothing once it was stopped', async () => {
    line.set(THREAD, as('processing'));
    await line.settled();
    line.setLater(THREAD, as('active'));
    line.stop();
    await pass(120 * MINUTE);
    assert.deepEqual(statuses(), ['processing']);
  });
});
