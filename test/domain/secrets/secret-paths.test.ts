import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { JsonValue } from '../../../src/domain/json/json.ts';
import { createSecretMark } from '../../../src/domain/secrets/secret-mark.ts';
import { isSecretPath, secretPathsOf } from '../../../src/domain/secrets/secret-paths.ts';

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input' }) as { [key: string]: JsonValue };

test('a path is secret at and below a named path; lists and dotted keys are matched too', () => {
  const secrets = ['a.b', 'list.*.key', 'hosts.*.token', 'x.y'];
  const secret = [
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 0, 'b'],
    ['list', 3, 'key'],
    ['hosts', 'one.example', 'token'],
    ['x.y'],
  ];
  for (const path of secret) assert.ok(isSecretPath(path, secrets), path.join());
  for (const path of [['a'], ['b'], ['a', 'c'], ['hosts', 'one'], ['x']]) {
    assert.ok(!isSecretPath(path, secrets), path.join());
  }
});

test('a schema marks secrets by format, by writeOnly and by its meta, wherever they are', () => {
  const schema = z.object({
    password: z.string().meta({ format: 'password' }),
    pin: z.string().meta({ writeOnly: true }).optional(),
    login: z.object({ token: z.string().meta({ secret: true }), user: z.string() }),
    keys: z.array(z.object({ key: z.string().meta({ secret: true }) })),
    hosts: z.record(z.string(), z.object({ secret: z.string().meta({ secret: true }) })),
    either: z.union([z.object({ a: z.string().meta({ secret: true }) }), z.number()]),
    plain: z.string(),
  });
  assert.deepEqual(secretPathsOf(schemaOf(schema)), [
    'password',
    'pin',
    'login.token',
    'keys.key',
    'hosts.*.secret',
    'either.a',
  ]);
});

test('a secret is found under every keyword', () => {
  const secret = { properties: { key: { type: 'string', writeOnly: true } } };
  for (const name of ['if', 'then', 'else', 'not']) {
    assert.deepEqual(secretPathsOf({ [name]: secret }), ['key'], name);
  }
  for (const name of ['items', 'contains', 'additionalItems', 'unevaluatedItems']) {
    assert.deepEqual(
      secretPathsOf({ properties: { list: { [name]: secret } } }),
      ['list.key'],
      name,
    );
  }
  for (const schema of [
    { items: [{ type: 'string' }, secret] },
    { dependentSchemas: { user: secret } },
    { dependencies: { user: secret, other: ['user'] } },
  ]) {
    assert.deepEqual(secretPathsOf(schema), ['key'], JSON.stringify(schema));
  }
  for (const schema of [
    { patternProperties: { '^x-': secret } },
    { unevaluatedProperties: secret },
  ]) {
    assert.deepEqual(secretPathsOf(schema), ['*.key'], JSON.stringify(schema));
  }
});

test('a recursive schema is walked once, and its secrets are found', () => {
  const node: z.ZodType = z.object({
    key: z.string().meta({ secret: true }),
    get next() {
      return node.optional();
    },
  });
  const paths = secretPathsOf(schemaOf(z.object({ root: node })));
  assert.ok(isSecretPath(['root', 'key'], paths));
  assert.ok(isSecretPath(['root', 'next', 'key'], paths));
});

test('a reference into a list is followed', () => {
  const schema = {
    $defs: { pair: { prefixItems: [{ type: 'string' }, { type: 'string', writeOnly: true }] } },
    properties: {
      open: { $ref: '#/$defs/pair/prefixItems/0' },
      key: { $ref: '#/$defs/pair/prefixItems/1' },
    },
  };
  assert.deepEqual(secretPathsOf(schema), ['key']);
});

test('marks are equal for the same secret and key, and differ otherwise', () => {
  const [one, two] = [1, 2].map((fill) => createSecretMark(new Uint8Array(32).fill(fill)));
  assert.match(one?.('secret') ?? '', /^[0-9a-f]{8}$/);
  assert.equal(one?.('secret'), one?.('secret'));
  assert.notEqual(one?.('secret'), one?.('secre'));
  assert.notEqual(one?.('secret'), two?.('secret'));
});
