import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChannelRateLimiter } from '../../../src/desk/delivery/channel-rate-limiter.ts';
import { createManualClock } from '../../support/manual-clock.ts';

describe('the rate limit of a channel', () => {
  it('allows one write a second after a start, in the order in which the writes came', () => {
    const clock = createManualClock();
    const limiter = createChannelRateLimiter(clock);
    const now = clock.now();
    const ids = ['a', 'b', 'c', 'd'];
    const turns = ids.map((id) => limiter.take('C1', id, false));
    assert.deepEqual(turns, [undefined, now + 1_000, now + 2_000, now + 3_000]);
    assert.equal(limiter.take('C1', 'b', false), now + 1_000);
    assert.equal(limiter.take('C2', 'e', false), undefined);
  });

  it('lets queued writes go at their time, and spaces missed ones again', async () => {
    const clock = createManualClock();
    const limiter = createChannelRateLimiter(clock);
    for (const id of ['a', 'b', 'c']) limiter.take('C1', id, false);
    await clock.advance(1_000);
    assert.equal(limiter.take('C1', 'b', false), undefined);
    await clock.advance(5_000);
    for (const id of ['d', 'e']) limiter.take('C1', id, true);
    assert.equal(limiter.take('C1', 'c', false), clock.now() + 1_000);
  });

  it('never delays an urgent write, which delays the others by five seconds at most', () => {
    const clock = createManualClock();
    const limiter = createChannelRateLimiter(clock);
    for (let n = 0; n < 20; n += 1) assert.equal(limiter.take('C1', `u${n}`, true), undefined);
    assert.equal(limiter.take('C1', 'p', false), clock.now() + 5_000);
    assert.equal(limiter.take('C1', 'q', false), clock.now() + 6_000);
  });

  it('allows a short burst after a quiet time', async () => {
    const clock = createManualClock();
    const limiter = createChannelRateLimiter(clock);
    await clock.advance(60_000);
    const free = Array.from({ length: 7 }, (_, n) => limiter.take('C1', `b${n}`, false));
    assert.equal(free.filter((turn) => turn === undefined).length, 5);
    assert.equal(free.at(-1), clock.now() + 2_000);
  });
});
