/** What `countersign doctor` reports about a good set-up and bad ones, with real servers. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { EnvFileError } from '../../../src/config/env-file/read-env-file.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { readDocument } from '../../support/readme-snippet.ts';
import { sayStatus, sayText } from '../../support/servers/mock-model.ts';
import { startRedis } from '../../support/store/redis-server.ts';
import { openDoctorStage, POLICY, SCOPES, type SetUp } from './doctor-stage.ts';

const HOUR = 3_600_000;

describe('countersign doctor', () => {
  const { ask, askJson, botToken, setUp } = openDoctorStage();

  it('reports everything that a start needs as ok, and changes nothing', async (t) => {
    const set = await setUp(t);
    const { code, checks } = await askJson(set);
    const seen = checks.filter(({ check }) => check !== 'sandbox');
    assert.deepEqual([...new Set(seen.map(({ status }) => status))], ['ok'], JSON.stringify(seen));
    assert.equal(code, 0);
    assert.deepEqual(
      [...new Set(checks.map(({ check }) => check))],
      'settings slack model store port clock sandbox tools mcp policy'.split(' '),
    );
    // Without bwrap, the line says how to install it.
    const sandbox = checks.find(({ check }) => check === 'sandbox');
    assert.match(sandbox?.message ?? '', /^Commands run in bwrap|Install it/);
    const text = (await ask(set)).out;
    assert.match(text, /^ok {7}slack {5}All \d+ scopes of manifest\.yml are granted\.$/m);
    assert.match(text, /^ok {7}mcp {7}“fixture” offers 1 tools\.$/m);
    assert.match(text, /\nReady\. Start it with npm start\.$/);
    const [asked] = set.model.requests.slice(-1);
    assert.equal(asked?.tools?.length, 1);
    assert.deepEqual(set.model.refusals, []);
    assert.deepEqual(readdirSync(set.folder).sort(), ['mcp.json', 'policy.yaml', 'tools.mjs']);
  });

  it('is ok beside a running app', async (t) => {
    const set = await setUp(t);
    const store = createSqliteStore({
      dataDir: set.env.DATA_DIR ?? '',
      clock: createSystemClock(),
    });
    t.after(() => store.close());
    const { code, checks } = await askJson(set);
    assert.equal(code, 0);
    const line = checks.find(({ check }) => check === 'store');
    assert.match(line?.message ?? '', /its records are of this version\. An app is running on it/);
  });

  it('reports records of another workspace', async (t) => {
    const set = await setUp(t);
    const dataDir = set.env.DATA_DIR ?? '';
    const store = createSqliteStore({ dataDir, clock: createSystemClock() });
    await store.belongTo({ workspace: 'T0ELSEWHERE' });
    await store.close();
    const { code, checks } = await askJson(set);
    assert.equal(code, 1);
    const problems = checks.filter(({ status }) => status === 'problem');
    assert.deepEqual(
      problems.map(({ check }) => check),
      ['store'],
    );
    assert.match(problems[0]?.message ?? '', /belongs to the workspace T0ELSEWHERE.*DATA_DIR/);
  });

  it('is part of the set-up that the README describes', () => {
    const readme = readDocument('README.md');
    const [, steps = ''] = /^## Add it to your workspace\n(.*?)^## /ms.exec(readme) ?? [];
    assert.match(steps, /^ {3}npx --no -- countersign doctor$/m);
  });

  const at = (set: SetUp, name: string, text: string) =>
    writeFileSync(join(set.folder, name), text);

  /** The fault, the check that reports it, and its text: what is wrong and what to do. */
  const BAD: readonly (readonly [
    what: string,
    spoil: (set: SetUp, t: TestContext) => void | Promise<void>,
    check: string,
    says: RegExp,
  ])[] = [
    [
      'an ambiguous line in .env',
      (set) => {
        set.envFile = () => {
          throw new EnvFileError('The file .env can’t be taken: line 3. Quote it.');
        };
      },
      'settings',
      /line 3\. Quote it/,
    ],
    [
      'a setting with a wrong value',
      (set) => {
        set.env.PORT = 'eighty';
      },
      'settings',
      /^PORT must be a whole number/,
    ],
    [
      'a bot token that Slack refuses',
      (set) => {
        set.env.SLACK_BOT_TOKEN = 'xoxb-of-another-workspace';
      },
      'slack',
      /^Slack rejects SLACK_BOT_TOKEN\. Copy it again/,
    ],
    [
      'scopes of the manifest that are not granted',
      (set) => {
        set.scopes = SCOPES.replace(',files:write', '').replace(',usergroups:read', '');
      },
      'slack',
      /lacks scopes of manifest\.yml: files:write, usergroups:read\. Paste manifest\.yml.*install the app again/,
    ],
    [
      'an app-level token that Slack refuses',
      (set) => {
        set.env.SLACK_APP_TOKEN = 'xapp-1-revoked';
      },
      'slack',
      /^Slack refuses SLACK_APP_TOKEN\. Create a new one/,
    ],
    [
      'tokens of two apps',
      (set) => {
        set.env.SLACK_APP_TOKEN = 'xapp-1-A0OTHER-123-abc';
      },
      'slack',
      /belongs to the app A0OTHER, and SLACK_BOT_TOKEN to A0COUNTERSIGN\. Copy both from the same app/,
    ],
    [
      'a key that the model’s server refuses',
      (set) => set.model.script(() => sayStatus(401)),
      'model',
      /^openai\/gpt-4o-mini: The model did not answer.* Check OPENAI_API_KEY/,
    ],
    [
      'a model that the server does not know',
      (set) => set.model.script(() => sayStatus(404)),
      'model',
      /Check MODEL and OPENAI_BASE_URL/,
    ],
    [
      'a server that refuses tools',
      (set) =>
        set.model.script(() => sayStatus(400, { message: 'this model does not support tools' })),
      'model',
      /can’t call tools \(it says “.*does not support tools”\).*set MODEL to one that can call tools/,
    ],
    [
      'a model server that is unreachable',
      (set) => {
        set.env.OPENAI_BASE_URL = 'http://127.0.0.1:9/v1';
      },
      'model',
      /can’t be reached at http:\/\/127\.0\.0\.1:9\/v1: this port is blocked for HTTP requests\. Check OPENAI_BASE_URL/,
    ],
    [
      'an unknown provider',
      (set) => {
        set.env.MODEL = 'nobody/llama';
      },
      'model',
      /"nobody", which is unknown.*OPENAI_BASE_URL/,
    ],
    [
      'a database of a newer Countersign',
      (set) => {
        mkdirSync(set.env.DATA_DIR ?? '');
        const db = new Database(join(set.env.DATA_DIR ?? '', 'countersign.db'));
        db.pragma('user_version = 9999');
        db.close();
      },
      'store',
      /was written by a newer Countersign.*Start the newer Countersign/,
    ],
    [
      'a database that is damaged',
      (set) => {
        mkdirSync(set.env.DATA_DIR ?? '');
        at(set, 'data/countersign.db', 'not a database at all, but long enough to be looked at');
      },
      'store',
      /damaged, or it is not a database.*Restore countersign\.db from a backup/,
    ],
    [
      'a Redis that may evict data',
      async (set, t) => {
        const redis = await startRedis([
          ...['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'],
        ]);
        t.after(() => redis.stop());
        set.env.REDIS_URL = redis.url;
      },
      'store',
      /evicts data.*Set maxmemory-policy to noeviction/,
    ],
    [
      'a port that another program uses',
      async (set, t) => {
        const taken = createServer();
        await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
        t.after(() => taken.close());
        set.env.PORT = String((taken.address() as AddressInfo).port);
      },
      'port',
      /EADDRINUSE.*set another PORT/,
    ],
    [
      'a clock that is off',
      (set) => {
        set.clockOffMs = HOUR;
      },
      'clock',
      /(?:3599|36\d\d) s off from Slack’s\. Synchronize it with NTP/,
    ],
    [
      'a tools module that can’t be loaded',
      (set) => {
        at(set, 'tools.mjs', 'export const tools = [{ name: "no schema" }];');
        set.env.TOOLS_MODULE = join(set.folder, 'tools.mjs');
      },
      'tools',
      /TOOLS_MODULE/,
    ],
    [
      'a workspace folder that can’t be created',
      (set) => {
        at(set, 'file', '');
        set.env.WORKSPACE_DIR = join(set.folder, 'file', 'workspace');
      },
      'settings',
      /^WORKSPACE_DIR/,
    ],
    [
      'an MCP server that can’t be started',
      (set) =>
        at(set, 'mcp.json', '{"mcpServers":{"gone":{"command":"/no/such/program","args":[]}}}'),
      'mcp',
      /^The MCP server “gone” can't be reached: .*ENOENT.* Check its entry in MCP_CONFIG/,
    ],
    [
      'a policy that names a missing channel',
      (set) => at(set, 'policy.yaml', POLICY.replace('#general', '#no-such-channel')),
      'policy',
      /policy\.yaml:\d:\d+: The app can’t see a channel “#no-such-channel” in Slack/,
    ],
    [
      'a policy that can’t be read',
      (set) => at(set, 'policy.yaml', 'version: 1\nrules: [{ tools: [a], gate: maybe }]'),
      'policy',
      /policy\.yaml:2:.*gate/,
    ],
  ];

  for (const [what, spoil, check, says] of BAD) {
    it(`says what to do about ${what}`, async (t) => {
      const set = await setUp(t);
      await spoil(set, t);
      const { checks, code, out } = await askJson(set);
      const bad = checks.filter(({ status }) => status === 'problem');
      assert.deepEqual([code, ...bad.map((line) => line.check)], [1, check], out);
      assert.match(bad[0]?.message ?? '', says);
      for (const secret of ['sk-the-key-of-a-model', botToken()]) {
        assert.ok(!out.includes(secret), out);
      }
    });
  }

  it('detects a model that does not call tools', async (t) => {
    const set = await setUp(t);
    set.model.script(() => sayText('I am ready.'));
    const { checks, code } = await askJson(set);
    const line = checks.find((each) => each.check === 'model');
    assert.deepEqual([code, line?.status], [0, 'warning']);
    assert.match(line?.message ?? '', /did not call the tool.*set MODEL to one that does/);
  });

  it('says so if Slack’s response does not list the scopes', async (t) => {
    const set = await setUp(t);
    set.scopes = undefined;
    const { checks } = await askJson(set);
    const line = checks.find(({ check, status }) => check === 'slack' && status === 'warning');
    assert.match(line?.message ?? '', /x-oauth-scopes/);
  });
});
