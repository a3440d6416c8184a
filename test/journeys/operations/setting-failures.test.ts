/** Field reports about Redis, MCP and operations: an input that failed, and the correct result. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createServer } from 'node:tls';
import { startTimeoutMsOf } from '../../../src/agent/mcp/connection/open-session.ts';
import { createServerConnection } from '../../../src/agent/mcp/connection/server-connection.ts';
import { listTools } from '../../../src/agent/mcp/listing/list-tools.ts';
import { readConfig } from '../../../src/config/config.ts';
import { readMcpConfig } from '../../../src/config/mcp/mcp-config.ts';
import { UnknownOutcomeError } from '../../../src/domain/tools/tool.ts';
import { redactSecrets } from '../../../src/process/redact-secrets.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { connectRedis } from '../../../src/stores/redis/connection/connect-redis.ts';
import { openClient, openCluster } from '../../../src/stores/redis/connection/open-client.ts';
import { build, overHttp, run } from '../../agent/mcp/mcp-bench.ts';
import { aTool, startHttpFixture, startRawFixture } from '../../support/servers/mcp-fixture.ts';

const clock = createSystemClock();
const quiet = () => {};
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

function readServers(servers: object, env: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-'));
  const path = join(dir, 'mcp.json');
  writeFileSync(path, JSON.stringify({ mcpServers: servers }));
  const read = readMcpConfig(path, env);
  rmSync(dir, { recursive: true });
  return read;
}

describe('an address with a password', () => {
  const PARTS = /p@ss|ssw0rd|p%40ss/;

  it('of Redis is never printed, not even in part', async () => {
    for (const url of [
      'redis://:p@ssw0rd@127.0.0.1:9/2',
      'redis://user:p@ss:w0rd@127.0.0.1:9',
      'rediss://p@ssw0rd:@127.0.0.1:9',
    ]) {
      await assert.rejects(connectRedis({ url, clock, log }), (error: Error) => {
        assert.match(
          error.message,
          /^REDIS_URL rediss?:\/\/127\.0\.0\.1:9(?:\/2)? can't be reached/,
        );
        assert.doesNotMatch(error.message, PARTS);
        return true;
      });
    }
  });

  it('is not printed for any setting that contains addresses', () => {
    const url = 'https://user:p@ssw0rd@host.example/x y';
    for (const name of [
      ...['REDIS_URL', 'OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'SLACK_API_URL'],
      ...['TAVILY_BASE_URL', 'APPROVER_JWKS_URL', 'GRAPH', 'CORS_ORIGINS'],
    ]) {
      assert.throws(
        () => readConfig({ [name]: url }),
        (error: Error) => {
          assert.match(error.message, new RegExp(name));
          assert.doesNotMatch(error.message, PARTS);
          return true;
        },
      );
    }
  });

  it('is fully redacted in the log', () => {
    const hidden = redactSecrets('connect to redis://user:p@ssw0rd@host:6379/1 failed', []);
    assert.equal(hidden, 'connect to redis://[redacted]@host:6379/1 failed');
  });
});

describe('Redis over TLS', () => {
  /** Records the requested host name, and ends the handshake there. */
  async function recordServerNames(t: TestContext) {
    const names: string[] = [];
    const server = createServer({
      SNICallback(name, done) {
        names.push(name);
        done(new Error('heard'));
      },
    });
    server.on('tlsClientError', quiet);
    await new Promise<void>((done) => server.listen(0, done));
    t.after(() => server.close());
    return { names, port: (server.address() as AddressInfo).port };
  }

  it('verifies the host name', async (t) => {
    const { names, port } = await recordServerNames(t);
    await assert.rejects(openClient(`rediss://localhost:${port}`, quiet));
    assert.deepEqual(names, ['localhost']);
  });

  it('verifies the host name on clusters whose nodes announce addresses', async (t) => {
    const { names, port } = await recordServerNames(t);
    const url = `rediss://localhost:${port}`;
    await assert.rejects(openCluster([url], url, quiet));
    await assert.rejects(openCluster([`rediss://127.0.0.1:${port}`], url, quiet));
    await assert.rejects(openClient(`rediss://127.0.0.1:${port}`, quiet, url));
    assert.deepEqual([...new Set(names)], ['localhost']);
    assert.ok(names.length >= 3, String(names));
  });
});

describe('an MCP server', () => {
  it('run as a process has two minutes to start, or as long as its entry says', () => {
    const read = (times: object) => {
      const { problems, servers, warnings } = readServers({ a: { command: 'npx', ...times } });
      assert.deepEqual(warnings, []);
      const [server] = servers;
      const all = server && [startTimeoutMsOf(server), server.callMs];
      return problems.length > 0 ? problems : all;
    };
    assert.deepEqual(read({}), [120_000, undefined]);
    assert.deepEqual(read({ startupTimeout: 300, timeout: 45 }), [300_000, 45_000]);
    assert.deepEqual(read({ startupTimeout: 90_000, timeout: '2m' }), [90_000, 120_000]);
    assert.deepEqual(
      read({ startup_timeout_sec: 2_000, tool_timeout_sec: 60 }),
      [2_000_000, 60_000],
    );
    assert.deepEqual(read({ initTimeout: 20_000, requestTimeout: 1_000 }), [20_000, 1_000]);
    for (const wrong of [
      { timeout: 0 },
      { startupTimeout: -1 },
      { timeout: 'soon' },
      { timeout: [] },
    ]) {
      assert.match(
        String(read(wrong)),
        /“(?:timeout|startupTimeout)” must be a time of up to a day/,
      );
    }
    const [remote] = readServers({ a: { url: 'https://host.example/mcp' } }).servers;
    assert.equal(remote && startTimeoutMsOf(remote), 30_000);
  });

  it('with a slow start is waited for as long as its entry says', async (t) => {
    const slow = {
      kind: 'stdio',
      command: process.execPath,
      args: ['-e', 'setTimeout(() => {}, 60_000)'],
      env: {},
    } as const;
    const connection = createServerConnection(
      { name: 'slow', reach: slow, startMs: 150 },
      { clock, log, onListChanged: quiet, onQuestion: async () => ({ action: 'decline' }) },
    );
    t.after(() => connection.close());
    await assert.rejects(connection.open(), /“slow” can't be reached: .*timed out/i);
  });

  it('with a call that exceeds the timeout of its entry leaves the outcome unknown', async (t) => {
    const server = await startHttpFixture(t, [
      aTool(
        'hang',
        (_args, { signal }) =>
          new Promise<string>((done) => signal.addEventListener('abort', () => done('late'))),
      ),
    ]);
    const { tools } = await build(t, [{ ...overHttp('box', server), callMs: 100 }]);
    await assert.rejects(run(tools, 'box__hang'), (error: unknown) => {
      assert.ok(error instanceof UnknownOutcomeError, String(error));
      assert.match(error.message, /exceeded its “timeout” in MCP_CONFIG/);
      return true;
    });
  });

  it('gets variables expanded in each of the usual forms, and similar text unchanged', () => {
    const texts = [
      '\x24{env:X}',
      '{env:X}',
      '$X',
      '\x24{X}',
      '\x24{NO_X:-value}',
      '\x24{env:NO_X:-value}',
    ];
    for (const text of texts) {
      const { problems, servers } = readServers(
        { a: { command: 'x', env: { A: text } } },
        { X: 'value' },
      );
      const [server] = servers;
      assert.deepEqual(problems, [], text);
      assert.equal(server?.reach.kind === 'stdio' && server.reach.env.A, 'value', text);
    }
    for (const text of [
      '\x24{input:x}',
      '\x24{file:x}',
      '{{ x }}',
      '%X%',
      '\x24{workspaceFolder}',
    ]) {
      const { problems } = readServers({ a: { command: 'x', env: { A: text } } }, { X: 'value' });
      assert.match(problems.join(), /looks like a variable|needs the variable/, text);
    }
  });

  for (const [what, cursorOf] of [
    ['an empty one', () => ''],
    ['the same one', () => 'again'],
    ['two in turns', (asked: number) => (asked % 2 === 0 ? 'a' : 'b')],
  ] as const) {
    it(`with a cursor that does not advance (${what}) is not listed forever, and nothing is missing`, async (t) => {
      let asked = 0;
      const tool = { name: 'look', inputSchema: { type: 'object' } };
      const { url } = await startRawFixture(t, 'look', ({ method }) => {
        if (method !== 'tools/list') return undefined;
        asked += 1;
        return { result: { tools: [tool], nextCursor: cursorOf(asked) } };
      });
      const connection = createServerConnection(
        { name: 'box', reach: { kind: 'http', url, headers: {} } },
        { clock, log, onListChanged: quiet, onQuestion: async () => ({ action: 'decline' }) },
      );
      t.after(() => connection.close());
      const { isWhole } = await listTools(await connection.open());
      assert.equal(isWhole, true);
      assert.ok(asked <= 3, `${asked} requests`);
    });
  }
});
