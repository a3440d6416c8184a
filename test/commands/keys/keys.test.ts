/** Keys of programs, created and revoked by the command beside a running app. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { hashKeySecret, keyProblem, parseKeyToken } from '../../../src/domain/people/api-key.ts';
import { callbackSecretOf } from '../../../src/domain/ports/callback.ts';
import { inTurn } from '../../support/sample.ts';
import { aProposal, stepTo } from '../../support/store/contract/contract-store.ts';
import { callIn, NOW, openAuditStage } from '../audit/audit-stage.ts';

const TOKEN = /csk_[0-9a-f]{16}_[\w-]{43}/;

for (const kind of inTurn(['SQLite', 'Redis'] as const)) {
  describe(`countersign keys, on ${kind}`, () => {
    it('creates, lists, rotates and revokes keys of a running app', async (t) => {
      const { call, installationKey, store } = await openAuditStage(t, kind);
      assert.match((await call('keys', 'list')).out, /There are no keys/);
      const scopes = 'request:deploy_*,read';
      const options = ['--scopes', scopes, '--channels', 'C012,C034', '--owner', 'U012'];
      const made = await call(
        'keys',
        'create',
        '--name',
        'deploy bot',
        ...options,
        '--expires',
        '90d',
      );
      assert.equal(made.code, 0, made.err);
      const token = parseKeyToken(TOKEN.exec(made.out)?.[0] ?? '');
      assert.ok(token);
      const key = await store.keys.get(token.id);
      assert.ok(key);
      assert.deepEqual(
        [key.name, key.scopes, key.channels, key.owner, key.expiresAt, key.hash],
        [
          'deploy bot',
          ['request:deploy_*', 'read'],
          ['C012', 'C034'],
          'U012',
          NOW + 90 * 86_400_000,
          hashKeySecret(token.secret),
        ],
      );
      assert.equal(JSON.stringify(key).includes(token.secret), false);

      const secret = callbackSecretOf(await installationKey.read(), token.id);
      assert.ok(made.out.includes(`Callback signing secret: ${secret}`));

      const same = await call('keys', 'create', '--name', 'deploy bot');
      assert.equal(same.code, 1);
      assert.match(same.err, /already/);
      const listed = await call('keys', 'list');
      assert.match(listed.out, new RegExp(`^${token.id}  deploy bot  .*for U012.*active until`));
      assert.doesNotMatch(listed.out + (await call('keys', 'list', '--json')).out, TOKEN);
      assert.doesNotMatch(listed.out, new RegExp(key.hash));

      const turned = await call('keys', 'rotate', token.id, '--overlap', '1h', '--json');
      const second = parseKeyToken(JSON.parse(turned.out).token);
      assert.ok(second);
      const rotated = await store.keys.get(token.id);
      assert.ok(rotated);
      const problems = [token.secret, second.secret].map((secret) =>
        [NOW + 3_599_999, NOW + 3_600_000].map((at) => keyProblem(rotated, secret, at)),
      );
      assert.deepEqual(problems, [
        [undefined, 'expired'],
        [undefined, undefined],
      ]);

      const outside = { by: 'key', name: 'deploy bot', key: token.id } as const;
      const asked = aProposal({ outside });
      await store.ledger.propose(asked, {});
      await store.ledger.write(asked, [stepTo(asked, 'pending', 'gate')], {});
      const ended = await call('keys', 'revoke', 'deploy bot');
      assert.equal(ended.code, 0);
      assert.match(ended.out, /One of its calls is pending.*can no longer run/);
      const revoked = await store.keys.get(token.id);
      assert.equal(revoked && keyProblem(revoked, second.secret, NOW), 'revoked');
      assert.equal(revoked && keyProblem(revoked, token.secret, NOW), 'unknown');
      assert.equal((await call('keys', 'rotate', token.id)).code, 1);
      assert.equal((await call('keys', 'revoke', 'nobody')).code, 1);
      const again = await call('keys', 'create', '--name', 'deploy bot');
      assert.equal(again.code, 0);
      assert.match(again.err, /cannot make requests.*--owner/);
      assert.equal(made.err, '');
      assert.match((await call('keys', 'revoke', 'deploy bot')).out, /It has no pending calls/);
      const entries = await store.audit.read(1, 100);
      assert.deepEqual(
        entries.map(({ event, subject }) => [event, subject]).slice(0, 3),
        ['create', 'rotate', 'revoke'].map((what) => [`key.${what}`, `key:${token.id}`]),
      );
      assert.equal((await call('audit', 'verify')).code, 0);
    });
  });
}

describe('countersign keys', () => {
  it('creates missing records, and refuses those of another version', async (t) => {
    const { dir, store } = await openAuditStage(t, 'SQLite');
    await store.close();
    const file = join(dir, 'countersign.db');
    for (const name of [file, `${file}-wal`, `${file}-shm`]) await rm(name, { force: true });
    const env = { DATA_DIR: dir };
    assert.equal((await callIn(env, ['keys', 'create', '--name', 'first'])).code, 0);
    const db = new Database(file);
    const version = Number(db.pragma('user_version', { simple: true }));
    for (const [other, says] of [
      [version - 1, /from before its first release.*Nothing was changed/],
      [version + 1, /newer/],
    ] as const) {
      db.pragma(`user_version = ${other}`);
      const refused = await callIn(env, ['keys', 'list']);
      assert.equal(refused.code, 1);
      assert.match(refused.err, says);
    }
    db.close();
  });

  it('says which arguments are wrong', async () => {
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [['create'], /--name/],
      [['create', '--name', 'x\n'], /--name/],
      [['create', '--name', 'research '], /--name/],
      [['create', '--name', 'x', '--scopes', 'admin'], /--scopes/],
      [['create', '--name', 'x', '--channels', '#ops'], /--channels/],
      [['create', '--name', 'x', '--owner', 'ann'], /--owner/],
      [['create', '--name', 'x', '--expires', 'soon'], /--expires/],
      [['create', '--name', 'x', '--expires', '3651d'], /--expires must be .* up to 3650d/],
      [['create', '--name', 'Research'], /“Research”: the app or one of its helpers/],
      [['create', '--name', 'COUNTERSIGN'], /--name can’t be/],
      [['rotate', 'a', '--overlap', '999999w'], /--overlap/],
      [['revoke'], /id or the name/],
      [['rotate', 'a', 'b'], /id or the name/],
      [['forget'], /no command/],
    ];
    for (const [args, says] of wrong) {
      const result = await callIn({ DATA_DIR: '/nowhere/at/all' }, ['keys', ...args]);
      assert.equal(result.code, 2, args.join(' '));
      assert.match(result.err, says);
      assert.match(result.err, /countersign keys rotate/);
      assert.doesNotMatch(result.err, /countersign (?:policy|audit|hook)/);
    }
  });
});
