import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Hono } from 'hono';
import { mountPage } from '../../src/playground/page-server.ts';
import { createWorkspace } from '../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../src/process/system-clock.ts';
import { PAGE_OPTIONS } from './page/start-tiny-playground.ts';

const app = new Hono();
let workspace: Workspace;

before(async () => {
  workspace = await createWorkspace({ clock: createSystemClock() });
  await mountPage(app, () => workspace, { ...PAGE_OPTIONS, allowedHosts: ['play.example'] });
});
after(() => workspace.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  app.request(path, { headers: { host: 'localhost:3000', ...headers } });

const post = (name: string, body: unknown, headers: Record<string, string> = {}) =>
  app.request(`/ui/${name}`, {
    method: 'POST',
    headers: { host: 'localhost:3000', 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('the page, its script and its style are served under a strict policy', async () => {
  for (const [path, type] of [
    ['/', 'text/html'],
    ['/page.js', 'text/javascript'],
    ['/page.css', 'text/css'],
  ] as const) {
    const response = await get(path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('content-type') ?? '', new RegExp(type));
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.ok((await response.text()).length > 100, path);
  }
});

test('nothing in the page is loaded from another host', async () => {
  const html = await (await get('/')).text();
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]);
  assert.deepEqual(addresses, ['data:,', '/page.css', '/page.js']);
  assert.doesNotMatch(await (await get('/page.css')).text(), /url\(|@import/);
});

for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', '10.1.2.3', 'play.example']) {
  test(`the host ${host} is the page's own`, async () => {
    assert.equal((await get('/ui/start', { host })).status, 200);
  });
}

for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:3000', '']) {
  test(`the host "${host}" is refused`, async () => {
    const response = await get('/ui/sight?as=requester', { host });
    assert.equal(response.status, 403);
    assert.equal((await post('open-home', { as: 'requester' }, { host })).status, 403);
  });
}

for (const [name, headers] of [
  ['of another origin', { origin: 'http://evil.example' }],
  ['of another port', { origin: 'http://localhost:4000' }],
  ['of a sandboxed frame', { origin: 'null' }],
  ['that a browser marks as cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['that a browser marks as same-site', { 'sec-fetch-site': 'same-site' }],
] as const) {
  test(`a request ${name} can post nothing`, async () => {
    const seen = workspace.see('requester').messages.length;
    const body = { as: 'requester', channel: 'general', text: 'hi' };
    assert.equal((await post('say', body, headers)).status, 403);
    assert.equal(workspace.see('requester').messages.length, seen);
  });
}

test('a link on another page opens this one but reads nothing', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  assert.equal((await get('/', headers)).status, 200);
  assert.equal((await get('/ui/start', { 'sec-fetch-site': 'cross-site' })).status, 403);
});

test('a form of another page can not post, because only JSON is accepted', async () => {
  const body = JSON.stringify({ as: 'requester', channel: 'general', text: 'hi' });
  const response = await post('say', body, { 'content-type': 'text/plain' });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /application\/json/);
});

for (const [name, action, body, reason] of [
  ['no JSON', 'say', '{', /not JSON/],
  ['a missing field', 'say', { as: 'requester', channel: 'general' }, /text/],
  ['an unknown field', 'close', { as: 'requester', extra: 1 }, /extra/],
  ['a number for a text', 'edit', { as: 'requester', channel: 'c', ts: 1, text: 'x' }, /ts/],
  [
    'a command without slash',
    'command',
    { as: 'requester', channel: 'c', command: 'x', text: '' },
    /slash/,
  ],
  ['values that no form has', 'submit', { as: 'requester', values: { a: { b: 1 } } }, /values/],
  [
    'a file that is not base64',
    'say',
    { as: 'requester', channel: 'c', text: '', files: [{ name: 'a', mimetype: 'b', base64: '%' }] },
    /base64/,
  ],
] as const) {
  test(`a body with ${name} is refused with the reason`, async () => {
    const response = await post(action, body);
    assert.equal(response.status, 400);
    const { error } = (await response.json()) as { error: string };
    assert.match(error, reason);
  });
}

test('a body beyond the limit is refused', async () => {
  const response = await post('say', { as: 'requester', text: 'x'.repeat(9_000_000) });
  assert.equal(response.status, 413);
});

test('an action that is not possible now is refused with the reason', async () => {
  const target = { as: 'requester', channel: 'general', ts: '1.0', actionId: 'x' };
  const response = await post('click', target);
  assert.equal(response.status, 409);
  assert.match(await response.text(), /sees no message/);
});

test('the page is served for a person by name, an unknown one is refused', async () => {
  const sight = (await (await get('/ui/sight?as=approver')).json()) as { me: { name: string } };
  assert.equal(sight.me.name, 'approver');
  assert.equal((await get('/ui/sight?as=nobody')).status, 409);
  assert.equal((await get('/ui/sight')).status, 400);
});

test('a message with a file reaches the channel', async () => {
  const file = { name: 'a.txt', mimetype: 'text/plain', base64: btoa('hello') };
  const body = { as: 'outsider', channel: 'general', text: 'look <here>', files: [file] };
  const said = await post('say', body);
  assert.equal(said.status, 200, await said.text());
  const [message] = workspace.see('outsider').messages.filter(({ files }) => files.length > 0);
  assert.equal(message?.text, 'look &lt;here&gt;');
  assert.equal(message?.files[0]?.name, 'a.txt');
});

test('the members of an existing user group can be replaced', async () => {
  const set = (handle: string, members: readonly string[]) =>
    post('set-group', { as: 'outsider', handle, members });
  assert.equal((await set('ops-approvers', ['approver'])).status, 200);
  const { groups } = workspace.see('admin');
  assert.deepEqual(
    groups.map(({ handle, members }) => [handle, members]),
    [['ops-approvers', [workspace.member('approver').id]]],
  );
  const unknown = await set('nobodies', []);
  assert.equal(unknown.status, 409);
  assert.match(await unknown.text(), /no user group @nobodies/);
  assert.equal((await set('ops-approvers', ['ghost'])).status, 409);
});

test('the journal is read from the position of the reader', async () => {
  const all = workspace.journal;
  const last = all.at(-1)?.seq ?? 0;
  assert.ok(last > 0);
  const read = async (after: string) => (await get(`/ui/journal?after=${after}`)).json();
  assert.equal(((await read('0')) as unknown[]).length, Math.min(all.length, 300));
  assert.deepEqual(await read(String(last)), []);
  assert.equal((await get('/ui/journal?after=x')).status, 400);
});

test('the files are those from the options', async () => {
  assert.deepEqual(await (await get('/ui/files')).json(), await PAGE_OPTIONS.files());
});

test('rapid changes reach the page as few events, and a closed connection ends the subscription', {
  timeout: 20_000,
}, async () => {
  let change = () => {};
  let ended = () => {};
  const isEnded = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const stub: Workspace = {
    ...workspace,
    onChange: (listener) => {
      change = listener;
      return () => ended();
    },
  };
  const watched = new Hono();
  await mountPage(watched, () => stub, PAGE_OPTIONS);
  const leaving = new AbortController();
  const response = await watched.request('/ui/changes', {
    headers: { host: 'localhost' },
    signal: leaving.signal,
  });
  const reader = response.body?.getReader();
  const read = async () => {
    const { value } = (await reader?.read()) ?? {};
    return new TextDecoder().decode(value).match(/event: change/g)?.length ?? 0;
  };
  assert.equal(await read(), 1);
  let events = 0;
  let isOver = false;
  const turns = 2_000;
  const reading = (async () => {
    while (!isOver) events += await read();
  })();
  for (let turn = 0; turn < turns; turn += 1) {
    change();
    await new Promise((resolve) => setImmediate(resolve));
  }
  isOver = true;
  change();
  await reading;
  assert.ok(events > 0 && events < turns / 10, `${events} events for ${turns} changes`);
  await reader?.cancel();
  leaving.abort();
  await isEnded;
});
