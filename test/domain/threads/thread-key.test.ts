import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childThreadKey, placeOf, threadKey } from '../../../src/domain/threads/thread-key.ts';

const part = fc.stringMatching(/^[A-Za-z0-9._-]{1,8}$/);
const message = fc.record({
  team: part,
  channel: part,
  ts: part,
  threadTs: fc.option(part, { nil: undefined }),
});

test('a message that starts a thread and its replies have the same key', () => {
  const place = { team: 'T1', channel: 'C1' };
  const root = threadKey({ ...place, ts: '1700000000.000100' });
  assert.equal(root, 'T1/C1/1700000000.000100');
  const reply = { ...place, ts: '1700000009.000900', threadTs: '1700000000.000100' };
  assert.equal(threadKey(reply), root);
  assert.equal(threadKey({ ...place, ts: '1700000000.000100', threadTs: undefined }), root);
});

test('two top-level messages of one channel are two threads', () => {
  const place = { team: 'T1', channel: 'D1' };
  const [a, b] = ['1700000000.000100', '1700000000.000200'].map((ts) =>
    threadKey({ ...place, ts }),
  );
  assert.notEqual(a, b);
});

test('the same channel and time in another team is another thread', () => {
  const at = { channel: 'C1', ts: '1700000000.000100' };
  assert.notEqual(threadKey({ ...at, team: 'T1' }), threadKey({ ...at, team: 'T2' }));
});

test('equal keys mean equal places', () => {
  fc.assert(
    fc.property(message, message, (a, b) => {
      const placeA = [a.team, a.channel, a.threadTs ?? a.ts];
      const placeB = [b.team, b.channel, b.threadTs ?? b.ts];
      const isEqual = JSON.stringify(placeA) === JSON.stringify(placeB);
      assert.equal(threadKey(a) === threadKey(b), isEqual);
    }),
  );
});

test('an ambiguous part is refused', () => {
  const good = { team: 'T1', channel: 'C1', ts: '1.0' };
  for (const bad of ['', 'C1/1', '/', 'a:b', 'a b', 'a\n', 'ü', '*']) {
    for (const wrong of [{ team: bad }, { channel: bad }, { ts: bad }, { threadTs: bad }]) {
      assert.throws(() => threadKey({ ...good, ...wrong }), /Not a part of a thread key/);
    }
  }
});

test('a key holds the place of its thread, and a child’s key that of its parent', () => {
  fc.assert(
    fc.property(message, part, part, (of, callId, grandchild) => {
      const key = threadKey(of);
      const place = { team: of.team, channel: of.channel, root: of.threadTs ?? of.ts };
      const child = childThreadKey(key, callId);
      assert.deepEqual(placeOf(key), place);
      assert.deepEqual(placeOf(child), place);
      assert.deepEqual(placeOf(childThreadKey(child, grandchild)), place);
      assert.equal(new Set([key, child, childThreadKey(child, grandchild)]).size, 3);
    }),
  );
});
