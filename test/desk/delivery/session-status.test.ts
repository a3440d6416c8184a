/** Session statuses of threads: the newest one wins, `processing` is renewed, and temporary failures are retried. */
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

describe('session statuses', () => {
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
        // As in Slack, a repeat does not set an existing session again.
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

  it('renews the status of long work before Slack ends it, and stops when the work ends', async () => {
    line.set(THREAD, as('processing'));
    await line.settled();
    for (let minutes = 0; minutes < 150; minutes += 10) await pass(10 * MINUTE);
    assert.deepEqual(statuses(), ['processing', 'processing', 'processing', 'processing']);
    line.set(THREAD, as('active'));
    await pass(120 * MINUTE);
    assert.deepEqual(statuses().slice(4), ['active']);
  });

  it('renews nothing while people are asked, or where Slack shows plain text statuses', async () => {
    line.set(THREAD, as('processing'));
    await line.settled();
    line.set(THREAD, as('suspended'));
    await pass(120 * MINUTE);
    how = 'words';
    line.set(THREAD, as('processing'));
    await pass(120 * MINUTE);
    assert.deepEqual(statuses(), ['processing', 'suspended', 'processing']);
  });

  it('sends a repeat if people see another status', async () => {
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

  it('sends a repeat if another process has set the status', async () => {
    for (let time = 0; time < 2; time += 1) {
      line.set(THREAD, { ...as('processing'), isRepeat: true });
      await line.settled();
    }
    assert.deepEqual(statuses(), ['processing']);
  });

  it('does not send the same status twice within half a minute, except that a turn has ended', async () => {
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

  it('retries after Slack’s rate limit, unless a newer status was set', async () => {
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

  it('does not retry what Slack refuses', async () => {
    failures.push(new ChatError('rejected', 'No.'));
    line.set(THREAD, as('active'));
    await pass(10 * MINUTE);
    assert.deepEqual(statuses(), ['active']);
  });

  it('sets background statuses one by one, and never over a newer one', async () => {
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

  it('renews and retries nothing after it was stopped', async () => {
    line.set(THREAD, as('processing'));
    await line.settled();
    line.setLater(THREAD, as('active'));
    line.stop();
    await pass(120 * MINUTE);
    assert.deepEqual(statuses(), ['processing']);
  });
});
