/** A store that rejects writes, on both backends, over HTTP and MCP: 503, nothing written, and recovery once it is fixed. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createClient } from 'redis';
import { type ApiStage, setApiStage } from '../../http/api/api-stage.ts';
import type { StoreKind } from '../../support/store/open-redis.ts';
import { until } from '../../support/until.ts';

const CALL = { action: 'drop_table', args: { table: 'users' } };

interface Fault {
  readonly kind: StoreKind;
  readonly what: string;
  /** Breaks the store, and resolves with a function that fixes it. */
  make(stage: ApiStage): Promise<() => Promise<unknown>>;
}

async function onRedis(stage: ApiStage, commands: readonly (readonly string[])[]) {
  const path = (stage.redisUrl ?? '').slice('unix://'.length);
  const client = createClient({ socket: { path } });
  await client.connect();
  for (const command of commands) await client.sendCommand([...command]);
  await client.disconnect();
}

function onSqlite(stage: ApiStage, pragma: string): void {
  const { saver } = stage.desk.store as unknown as {
    saver: { db: { pragma(text: string): void } };
  };
  saver.db.pragma(pragma);
}

const FAULTS: readonly Fault[] = [
  {
    kind: 'SQLite',
    what: 'whose disk is full',
    async make(stage) {
      onSqlite(stage, 'max_page_count = 1');
      return async () => onSqlite(stage, 'max_page_count = 1000000');
    },
  },
  {
    kind: 'SQLite',
    what: 'that is read-only',
    async make(stage) {
      onSqlite(stage, 'query_only = ON');
      return async () => onSqlite(stage, 'query_only = OFF');
    },
  },
  {
    kind: 'Redis',
    what: 'that is out of memory',
    async make(stage) {
      await onRedis(stage, [['CONFIG', 'SET', 'maxmemory', '1']]);
      return () => onRedis(stage, [['CONFIG', 'SET', 'maxmemory', '0']]);
    },
  },
];

/** A larger call needs new pages, which are not available. */
const LARGE = { ...CALL, args: { table: 'x'.repeat(20_000) } };

for (const { kind, make, what } of FAULTS) {
  describe(`on a store ${what} (${kind})`, () => {
    async function set(t: TestContext) {
      const stage = await setApiStage(t, { kind });
      const token = await stage.key();
      const list = async () =>
        (await stage.ask('GET', '/api/approvals', { token })).body.approvals.length as number;
      assert.equal(await list(), 0);
      return { stage, token, list };
    }

    it('a request is told to retry, and nothing is written', async (t) => {
      const { list, stage, token } = await set(t);
      const mend = await make(stage);
      const told = await stage.ask('POST', '/api/approvals', { token, body: LARGE });
      assert.equal(told.status, 503, JSON.stringify(told.body));
      assert.match(told.headers.get('retry-after') ?? '', /^\d+$/);
      await mend();
      assert.equal(await list(), 0);
      assert.equal((await stage.ask('POST', '/api/approvals', { token, body: LARGE })).status, 201);
    });

    it('an agent over MCP gets one approval request, as soon as the store recovers', async (t) => {
      const { list, stage, token } = await set(t);
      const transport = new StreamableHTTPClientTransport(new URL(`${stage.url()}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(transport as never);
      t.after(() => client.close());
      const mend = await make(stage);
      const { action, args } = LARGE;
      const asked = client.callTool({
        name: 'request_approval',
        arguments: { action, arguments: args, wait_seconds: 0 },
      });
      await until(() => stage.warned.length > 0, 20);
      await mend();
      const { isError } = await asked;
      assert.notEqual(isError, true);
      assert.equal(await list(), 1);
    });
  });
}
