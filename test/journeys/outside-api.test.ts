/** The app as it is run, and a program that asks it over HTTP: keys by the command, a crash, a revocation, an end. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { SignJWT } from 'jose';
import { runCountersign } from '../../src/commands/run-countersign.ts';
import { createSystemClock } from '../../src/system-clock.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { until } from '../support/until.ts';

const SECRET = 'a secret of the tests, of 32 bytes or more';
const LOOK_MS = 20;

describe('a program that asks over HTTP', () => {
  let stage: Stage;
  let token = '';
  let owner = '';
  let id = '';
  before(async () => {
    stage = await setStage('socket', {
      APPROVER_JWT_SECRET: SECRET,
      APPROVER_JWT_AUDIENCE: 'countersign',
    });
    owner = stage.workspace.see('requester').me.id;
    const channel = stage.workspace.channel('general').id;
    const made = await command(
      'create',
      '--name',
      'bot',
      '--channels',
      channel,
      '--owner',
      owner,
      '--json',
    );
    token = JSON.parse(made).token;
  });
  after(() => stage.close());

  /** Beside the app, as in another terminal. */
  async function command(...args: readonly string[]): Promise<string> {
    const said: string[] = [];
    const say = (text: string) => void said.push(text);
    const code = await runCountersign(['keys', ...args], {
      env: { DATA_DIR: join(stage.folder, 'data') },
      clock: createSystemClock(),
      out: say,
      write: async (text) => say(text),
      err: say,
    });
    assert.equal(code, 0, said.join('\n'));
    return said.join('\n');
  }

  async function ask(path: string, body?: object, by = token) {
    const answer = await fetch(`${stage.app().url}/api/approvals${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: JSON.parse(await answer.text()),
    };
  }

  const person = () =>
    new SignJWT({ sub: owner, aud: 'countersign' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(SECRET));

  it('is answered over a crash, and runs what a person approved, once', async () => {
    const made = await ask('', {
      action: 'rm',
      args: { path: '/tmp/x' },
      description: 'Clean up.',
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    id = made.body.id;
    const cutOff = assert.rejects(ask(`/${id}?wait=60`));
    await stage.restart('kill');
    await cutOff;
    const poll = ask(`/${id}?wait=60`);
    const approved = await ask(`/${id}/approve`, {}, await person());
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    assert.deepEqual([(await poll).status, (await poll).body.status], [200, 'approved']);
    const { digest } = (await poll).body;
    const taken = await ask(`/${id}/consume`, { digest });
    assert.equal(taken.status, 200, JSON.stringify(taken.body));
    assert.equal((await ask(`/${id}/consume`, { digest })).status, 409);
    const told = await ask(`/${id}/report`, { outcome: { status: 'succeeded', text: 'Gone.' } });
    assert.equal(told.body.status, 'succeeded');
  });

  it('is sent away within a second when its key is revoked', async () => {
    const made = await ask('', { action: 'rm', args: { path: '/tmp/y' } });
    const other = JSON.parse(
      await command('create', '--name', 'reader', '--scopes', 'read', '--json'),
    ).token;
    const poll = ask(`/${made.body.id}?wait=60`, undefined, other);
    await until(async () => (await ask(`/${made.body.id}`)).status === 200, LOOK_MS);
    const startedAt = performance.now();
    await command('revoke', 'reader');
    assert.equal((await poll).status, 401);
    const ms = performance.now() - startedAt;
    assert.ok(ms < 3_000, `${ms} ms`);
    assert.equal((await ask('', undefined, other)).status, 401);
  });

  it('is told to come back when the app stops, and the log does not know its key', async () => {
    const made = await ask('', { action: 'rm', args: { path: '/tmp/z' } });
    const poll = ask(`/${made.body.id}?wait=60`);
    const answer = await fetch(`${stage.app().url}/api/approvals/${made.body.id}/events`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const app = stage.app();
    const stopped = app.stop();
    assert.equal((await poll).status, 202);
    assert.equal((await poll).headers.get('retry-after'), '1');
    assert.match(await answer.text(), /event: approval/);
    await stopped;
    assert.doesNotMatch(app.output(), /csk_[0-9a-f]/);
    await stage.startAgain();
    assert.equal((await ask(`/${made.body.id}?wait=0`)).status, 202);
  });
});
