import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ApiBench } from './api-bench.ts';
import { APPROVER, OWNER } from './api-stage.ts';

/** What is masked in a call, who opens it, and what stays masked. */
export function maskedTests(bench: ApiBench): void {
  const open = (id: string, token = bench.approver) =>
    bench.post(`/api/approvals/${id}/open`, { token, body: {} });

  it('hides secrets from all but the key that sent them', async () => {
    const schema = {
      type: 'object',
      properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
    };
    const args = { user: 'ann', password: 'hunter2hunter2' };
    const { body } = await bench.make({ schema, args, description: 'with hunter2hunter2' });
    assert.deepEqual(body.arguments, args);
    const reader = await bench.stage.key({ scopes: ['read'] });
    for (const by of [reader, bench.approver]) {
      const response = await bench.get(`/api/approvals/${body.id}`, { token: by });
      assert.equal(response.status, 200);
      assert.doesNotMatch(JSON.stringify(response.body), /hunter2/);
      assert.match(response.body.arguments.password, /hidden: marked as secret/);
      assert.equal(response.body.masked, true);
    }
    const shown = (await bench.get(`/api/approvals/${body.id}`, { token: bench.approver })).body
      .arguments;
    const modifiedArguments = { ...shown, user: 'bob' };
    const edited = await bench.approve(body.id, { modifiedArguments });
    // The hidden part stays, and their edit does not approve it.
    assert.deepEqual([edited.status, edited.body.status, edited.body.attempt], [200, 'pending', 2]);
    assert.equal((await bench.approve(body.id)).status, 409);
    assert.equal((await bench.approve(body.id, { digest: body.digest })).status, 409);
    const opened = await open(body.id);
    assert.deepEqual(opened.body.arguments, { user: 'bob', password: 'hunter2hunter2' });
    assert.equal(
      (await bench.approve(body.id, { digest: edited.body.digest })).body.status,
      'approved',
    );
    const own = await bench.get(`/api/approvals/${body.id}`);
    assert.deepEqual(own.body.arguments, { user: 'bob', password: 'hunter2hunter2' });
    assert.equal(own.body.edited, true);
  });

  it('requires each person to open a call with hidden parts before they approve it', async () => {
    const schema = { type: 'object', properties: { command: { type: 'string', writeOnly: true } } };
    const args = { command: 'rm -rf /srv', note: 'runs rm -rf /srv', token: 'xoxb-not-a-real-1' };
    const { id, digest } = (await bench.make({ schema, args })).body;
    const path = `/api/approvals/${id}`;
    const blind = await bench.approve(id, { digest });
    assert.equal(blind.status, 409);
    assert.match(blind.body.detail, /masked, and you have not seen it/);
    const owner = await bench.stage.person(OWNER);
    assert.equal((await open(id, await bench.stage.person('U0STRANGER'))).status, 403);
    assert.equal((await open(id, bench.token)).status, 403);
    assert.equal((await open('call_none')).status, 404);
    assert.deepEqual((await open(id, owner)).body.arguments, args);
    // Another person's opening does not count for this one.
    assert.equal((await bench.approve(id)).status, 409);
    const seen = await open(id);
    assert.deepEqual([seen.body.arguments, seen.body.masked], [args, false]);
    const response = await bench.get(path, { token: bench.approver });
    assert.doesNotMatch(JSON.stringify(response.body), /rm -rf|xoxb/);
    assert.equal(response.body.digest, digest);
    assert.equal((await bench.approve(id)).body.status, 'approved');
    assert.equal((await open(id)).status, 409);
    const taken = await bench.post(`${path}/consume`, { body: { digest } });
    assert.deepEqual(taken.body.approval.arguments, args);
    const entries = await bench.stage.desk.store.audit.read(0, 100_000);
    const opened = entries.filter(({ event, subject }) => event === 'call.open' && subject === id);
    assert.deepEqual(
      opened.map(({ actor }) => actor),
      [`T1/${OWNER}`, `T1/${APPROVER}`],
    );
    const refused = entries.filter(
      (each) => each.event === 'decision.unopened' && each.subject === id,
    );
    assert.equal(refused.length, 2);
    assert.doesNotMatch(JSON.stringify(entries), /rm -rf|xoxb-not/);
  });

  it('counts an edit as an approval if its author opened the hidden parts that it keeps', async () => {
    const schema = {
      type: 'object',
      properties: { command: { type: 'string', writeOnly: true }, host: { type: 'string' } },
    };
    const { id } = (await bench.make({ schema, args: { command: 'reboot', host: 'a' } })).body;
    await open(id);
    const shown = (await bench.get(`/api/approvals/${id}`, { token: bench.approver })).body;
    const edited = await bench.approve(id, {
      modifiedArguments: { ...shown.arguments, host: 'b' },
    });
    assert.deepEqual([edited.status, edited.body.status], [200, 'approved']);
    const own = (await bench.get(`/api/approvals/${id}`)).body;
    assert.deepEqual(own.arguments, { command: 'reboot', host: 'b' });
  });

  it('restores hidden secrets in place, in texts and lists too, and never runs a mask', async () => {
    const secret = { type: 'string', writeOnly: true };
    const hosts = { type: 'array', items: { type: 'object', properties: { key: secret } } };
    const schema = { type: 'object', properties: { password: secret, hosts } };
    const args = {
      url: 'https://x.example/?p=hunter2hunter2',
      password: 'hunter2hunter2',
      hosts: [{ key: 'first-key-1' }, { key: 'other-key-2' }],
    };
    const edit = async (change: (shown: typeof args) => object) => {
      const { id } = (await bench.make({ schema, args })).body;
      const seen = await bench.get(`/api/approvals/${id}`, { token: bench.approver });
      assert.doesNotMatch(JSON.stringify(seen.body), /hunter2|-key-/);
      const { body, status } = await bench.approve(id, {
        modifiedArguments: change(seen.body.arguments),
      });
      return { body, status, args: (await bench.get(`/api/approvals/${id}`)).body.arguments };
    };
    const [first, other] = args.hosts;
    const kept: readonly (readonly [(shown: typeof args) => object, object])[] = [
      [(shown) => ({ ...shown, n: 1 }), { ...args, n: 1 }],
      [({ hosts: [, last], ...rest }) => ({ ...rest, hosts: [last] }), { ...args, hosts: [other] }],
      [
        (shown) => ({ ...shown, hosts: shown.hosts.toReversed() }),
        { ...args, hosts: [other, first] },
      ],
    ];
    for (const [change, wanted] of kept) {
      const edited = await edit(change);
      assert.deepEqual([edited.status, edited.body.status], [200, 'pending']);
      assert.deepEqual(edited.args, wanted);
    }
    const misplaced: readonly (readonly [(shown: typeof args) => object, string])[] = [
      [(shown) => ({ ...shown, password: shown.hosts[0]?.key }), 'password'],
      [(shown) => ({ ...shown, user: shown.password }), 'user'],
      [(shown) => ({ ...shown, url: `${shown.url}&more` }), 'url'],
    ];
    for (const [change, place] of misplaced) {
      const edited = await edit(change);
      assert.deepEqual([edited.status, edited.body.errors?.[0].path], [422, [place]]);
      assert.deepEqual(edited.args, args);
    }
  });
}
