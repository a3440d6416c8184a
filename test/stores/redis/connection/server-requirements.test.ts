import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkServerRequirements,
  parseRedisInfo,
} from '../../../../src/stores/redis/connection/server-requirements.ts';

const FIT = {
  redis_version: '7.0.15',
  role: 'master',
  maxmemory: '0',
  maxmemory_policy: 'noeviction',
  aof_enabled: '1',
};

function judge(changes: Readonly<Record<string, string>>, saves?: string) {
  return checkServerRequirements(new Map(Object.entries({ ...FIT, ...changes })), saves);
}

test('parses INFO line by line, without sections and blank lines', () => {
  const info = parseRedisInfo(
    '# Server\r\nredis_version:7.0.15\r\n\r\n# Memory\r\nmaxmemory:0\r\n',
  );
  assert.deepEqual(
    [...info],
    [
      ['redis_version', '7.0.15'],
      ['maxmemory', '0'],
    ],
  );
});

test('accepts a suitable server without a warning', () => {
  assert.deepEqual(judge({}), { refusals: [], warnings: [] });
  for (const redis_version of ['6.2.0', '7.2.4', '8.0.1', '10.0.0']) {
    assert.deepEqual(judge({ redis_version }).refusals, []);
  }
});

test('names each fault with its remedy', () => {
  const faults: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ redis_version: '6.0.16' }, /6\.0\.16 is too old: .* 6\.2 or newer/],
    [{ redis_version: '5.0.7' }, /too old/],
    [{ role: 'slave' }, /replica, which takes no writes: use the primary/],
    [
      { maxmemory: '100', maxmemory_policy: 'allkeys-lru' },
      /evicts data .*allkeys-lru.* Set maxmemory-policy to noeviction/,
    ],
  ];
  for (const [changes, words] of faults) {
    const { refusals, warnings } = judge(changes);
    assert.equal(refusals.length, 1);
    assert.match(refusals[0] ?? '', words);
    assert.deepEqual(warnings, []);
  }
});

test('judges Valkey by its own version, whatever Redis version it reports', () => {
  assert.deepEqual(judge({ redis_version: '5.0.0', valkey_version: '8.0.1' }).refusals, []);
});

test('warns about settings that only weaken the guarantees', () => {
  assert.match(judge({ maxmemory_policy: 'allkeys-lru' }).warnings[0] ?? '', /noeviction/);
  assert.match(judge({ aof_enabled: '0' }, '').warnings[0] ?? '', /loses everything.*appendonly/);
  assert.match(
    judge({ aof_enabled: '0' }, '900 1').warnings[0] ?? '',
    /everything since its last snapshot/,
  );
});
