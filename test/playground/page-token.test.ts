/** If other machines can reach the playground, everything in it needs the token. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Hono } from 'hono';
import { PAGE_ACTIONS } from '../../src/playground/page-actions.ts';
import { isLoopback } from '../../src/playground/page-guard.ts';
import { mountPage } from '../../src/playground/page-server.ts';
import { createWorkspace } from '../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../src/process/system-clock.ts';
import { PAGE_OPTIONS } from './page/start-tiny-playground.ts';

let workspace: Workspace;

before(async () => {
  workspace = await createWorkspace({ clock: createSystemClock() });
});
after(() => workspace.stop());

const TOKEN = 'a-token-of-the-tests';
const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ...['/', '/page.js', '/page.css', '/ui/start', '/ui/sight?as=requester', '/ui/journal?after=0'],
  ...['/ui/files', '/ui/changes', '/ui/no-such'],
].map((path) => ['GET', path] as const);

describe('a page that other machines can reach', () => {
  const guarded = new Hono();
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    guarded.request(path, { method, headers: { host: '192.0.2.7:3000', ...headers } });
  before(() => mountPage(guarded, () => workspace, { ...PAGE_OPTIONS, token: TOKEN }));

  async function signIn(): Promise<string> {
    const { headers } = await ask(`/?token=${TOKEN}`);
    return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  }

  for (const [method, path] of [
    ...ROUTES,
    ...Object.keys(PAGE_ACTIONS).map((name) => ['POST', `/ui/${name}`] as const),
  ]) {
    test(`refuses ${method} ${path} without its token, or with another one`, async () => {
      const [name = ''] = (await signIn()).split('=');
      const wrong: readonly Record<string, string>[] = [
        {},
        { cookie: `${name}=` },
        { cookie: `${name}=${TOKEN}x` },
        { cookie: `other=${TOKEN}` },
        { authorization: `Bearer ${TOKEN}` },
      ];
      for (const headers of wrong) {
        const response = await ask(path, headers, method);
        assert.equal(response.status, 401, JSON.stringify(headers));
        assert.match(await response.text(), /full address that it printed/);
        assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'self'/);
      }
    });
  }

  test('sets at its printed address a cookie that no script and no other site can use, and redirects without the token', async () => {
    const first = await ask(`/?token=${TOKEN}`);
    assert.equal(first.status, 303);
    assert.equal(first.headers.get('location'), '/');
    assert.equal(first.headers.get('cache-control'), 'no-store');
    assert.equal(first.headers.get('referrer-policy'), 'no-referrer');
    const set = first.headers.get('set-cookie') ?? '';
    assert.match(set, /; HttpOnly/);
    assert.match(set, /; SameSite=Strict/);
    assert.doesNotMatch(set, /Domain=/);
    const cookie = await signIn();
    for (const [method, path] of ROUTES.filter(([, path]) => path !== '/ui/changes')) {
      const { status } = await ask(path, { cookie }, method);
      assert.equal(status, path === '/ui/no-such' ? 404 : 200, path);
    }
  });

  test('sets no cookie for another token, nor for the right one at another path', async () => {
    for (const path of ['/?token=x', '/?token=', `/ui/start?token=${TOKEN}`]) {
      const response = await ask(path);
      assert.equal(response.status, 401, path);
      assert.equal(response.headers.get('set-cookie'), null);
    }
  });

  test('refuses another site’s host name, with its cookie too', async () => {
    const cookie = await signIn();
    assert.equal((await ask('/ui/start', { cookie, host: 'evil.example' })).status, 403);
    const origin = 'http://evil.example';
    assert.equal((await ask('/ui/say', { cookie, origin }, 'POST')).status, 403);
  });
});

test('only a loopback address needs no token', () => {
  const loopback = ['127.0.0.1', '127.9.9.9', '::1', 'localhost', 'LOCALHOST'];
  const open = ['0.0.0.0', '::', '192.0.2.7', '::ffff:127.0.0.1', 'host', '127.evil.example', ''];
  assert.deepEqual([...loopback, ...open].filter(isLoopback), loopback);
});
