/** MCP over HTTP: authentication, and when sessions end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { StoreUnavailableError } from '../../src/domain/ports/store.ts';
import { createMcpHandler } from '../../src/mcp/mcp-handler.ts';
import { startSmallDesk } from '../support/app/small-desk.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { caller, decided } from '../support/servers/mcp-caller.ts';
import { until } from '../support/until.ts';

const BASH = { tool_name: 'Bash', input: { command: 'rm -r build' }, tool_use_id: 'toolu_1' };

describe('/mcp', () => {
  const KEYS: Readonly<Record<string, string>> = { csk_test: 'k1', csk_other: 'k2' };

  async function open(t: TestContext, maxSessionsPerKey?: number) {
    const desk = await startSmallDesk(t);
    let isRevoked = false;
    const keyIdOf = async (token: string) => {
      if (token === 'csk_down') throw new StoreUnavailableError('Redis is down.', 'not-done');
      return isRevoked ? undefined : KEYS[token];
    };
    const clock = createManualClock();
    const most = maxSessionsPerKey && { maxSessionsPerKey };
    const mcp = createMcpHandler({ keyIdOf, clock, ...most });
    const dispatch = (request: Request) => {
      const { pathname, search } = new URL(request.url);
      return fetch(new Request(desk.url + pathname + search, request));
    };
    const listener = getRequestListener((request) => mcp.handle(request, dispatch));
    const server = createServer((request, response) => void listener(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(async () => {
      await mcp.close();
      server.closeAllConnections();
      server.close();
    });
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const revoke = () => {
      isRevoked = true;
      desk.revoke();
    };
    return { clock, desk, mcp, url, revoke };
  }

  async function join(url: URL, key = 'csk_test') {
    const headers = { authorization: `Bearer ${key}` };
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport as never);
    return { client, transport, call: caller(client) };
  }

  /** As a client without progress, which uses one id for all requests. */
  function post(url: URL, session: string | undefined, args: object): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      headers: {
        authorization: 'Bearer csk_test',
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-session-id': session ?? '',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 9, method: 'tools/call' },
        params: { name: 'permission_prompt', arguments: args },
      }),
    });
  }

  it('serves the official client, with progress, and with defaults from the address', async (t) => {
    const { desk, url } = await open(t);
    url.searchParams.set('channel', 'C7');
    const { call, client, transport } = await join(url);
    const progress: Progress[] = [];
    const calling = call('permission_prompt', BASH, (each) => progress.push(each));
    const { text } = await decided(desk, calling, { status: 'approved' });
    assert.equal(JSON.parse(text).behavior, 'allow');
    assert.equal(progress.length, 1);
    assert.equal((desk.bodies[0] as { channel?: string }).channel, 'C7');
    await transport.terminateSession();
    await client.close();
  });

  it('keeps the connection of a client without progress alive', async (t) => {
    const { clock, desk, url } = await open(t);
    const { client, transport } = await join(url);
    const response = await post(url, transport.sessionId, BASH);
    assert(response.body);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    await until(() => desk.approvals().length === 1, 5);
    for (let beat = 0; beat < 2; beat += 1) {
      await clock.advance(15_000);
      assert.equal((await reader.read()).value, ': still here\n\n');
    }
    await desk.decide({ status: 'approved' });
    assert.match((await reader.read()).value ?? '', /"behavior\\":\\"allow/);
    assert.equal((await reader.read()).done, true);
    assert.equal(clock.pendingCount, 0);
    await client.close();
  });

  it('never mixes up the responses to two requests of the same id', async (t) => {
    const { desk, url } = await open(t);
    const { client, transport } = await join(url);
    const first = await post(url, transport.sessionId, BASH);
    await until(() => desk.approvals().length === 1, 5);
    const other = { tool_name: 'Bash', input: { command: 'rm -r /' } };
    const second = await post(url, transport.sessionId, other);
    assert.equal(second.status, 400);
    assert.match(await second.text(), /request with this id is already in progress/);
    await desk.decide({ status: 'approved' });
    assert.match(await first.text(), /behavior.*allow.*rm -r build/);
    assert.equal(desk.approvals().length, 1);
    const third = await post(url, transport.sessionId, BASH);
    assert.equal(third.status, 200);
    await third.body?.cancel();
    await client.close();
  });

  it('accepts only keys, and refuses other keys’ sessions, web pages and GET', async (t) => {
    const { url } = await open(t);
    const { client, transport } = await join(url);
    const session = { 'mcp-session-id': transport.sessionId ?? '' };
    const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    let responseText = '';
    const ask = async (key: string, headers: object, method = 'POST', text = LIST) => {
      const body = method === 'POST' ? { body: text } : {};
      const response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...headers,
        },
        ...body,
      });
      responseText = await response.text();
      return response.status;
    };
    assert.equal(await ask('csk_test', session), 200);
    assert.equal(await ask('csk_other', session), 404);
    assert.equal(await ask('csk_other', session, 'DELETE'), 404);
    assert.equal(await ask('csk_none', session), 401);
    assert.equal(await ask('csk_down', session), 503);
    assert.equal(await ask('eyJhbGciOiJIUzI1NiJ9.e30.x', session), 401);
    assert.match(responseText, /User tokens are not accepted here/);
    // JSON that a parser would change silently is refused.
    for (const [bad, says] of [
      [LIST.replace('"id":1', '"id":1,"id":2'), /appears twice/],
      [LIST.replace('"id":1', '"id":1,"__proto__":{}'), /__proto__/],
      [LIST.replace('"id":1', '"id":1,"params":{"_meta":{"n":9007199254740993}}'), /lose digits/],
      ['{', /cut off/],
    ] as const) {
      assert.equal(await ask('csk_test', session, 'POST', bad), 400);
      assert.match(responseText, says);
    }
    assert.equal(await ask('csk_test', session, 'POST', ' '.repeat(1_048_577)), 413);
    assert.equal(await ask('csk_test', { 'mcp-session-id': 'none' }), 404);
    assert.equal(await ask('csk_test', {}), 400);
    assert.equal(await ask('csk_test', { ...session, origin: 'http://evil.example' }), 403);
    assert.equal(await ask('csk_test', { ...session, origin: 'http://localhost:6274' }), 200);
    assert.equal(await ask('csk_test', session, 'GET'), 405);
    assert.equal(await ask('csk_test', session, 'DELETE'), 200);
    assert.equal(await ask('csk_test', session), 404);
    await client.close();
  });

  it('ends the least recently used idle session if a key has too many, and none that waits', async (t) => {
    const { desk, url } = await open(t, 2);
    const [waiting, idle] = [await join(url), await join(url)];
    const asked = waiting.call('permission_prompt', BASH).catch(() => 'cut off');
    await until(() => desk.approvals().length === 1, 5);
    const third = await join(url);
    await assert.rejects(idle.call('get_approval', { approval_id: 'x' }), /session does not exist/);
    const alsoAsked = third.call('permission_prompt', BASH);
    await until(() => desk.approvals().length === 2, 5);
    await assert.rejects(join(url), /429|sessions with waiting requests/);
    const other = await join(url, 'csk_other');
    assert.equal(
      JSON.parse((await decided(desk, alsoAsked, { status: 'approved' })).text).behavior,
      'allow',
    );
    const fourth = await join(url);
    for (const { client } of [waiting, idle, third, other, fourth]) await client.close();
    assert.equal(await asked, 'cut off');
  });

  it('ends with its key, and withdraws approvals that nobody waits for', async (t) => {
    const { clock, desk, mcp, url, revoke } = await open(t);
    const { call, client } = await join(url);
    const left = call('permission_prompt', BASH).catch(() => 'cut off');
    await until(() => desk.approvals().length === 1, 5);
    await client.close();
    await until(() => desk.approvals()[0]?.status === 'withdrawn', 5);
    await left;
    const second = await join(url);
    const stopped = second.call('permission_prompt', BASH).catch(() => 'cut off');
    await until(() => desk.approvals().length === 2, 5);
    await mcp.close();
    assert.equal(desk.approvals()[1]?.status, 'withdrawn');
    await second.client.close();
    await stopped;
    await until(() => clock.pendingCount === 0);
    revoke();
    await assert.rejects(join(url), /401|Unauthorized/);
  });
});
