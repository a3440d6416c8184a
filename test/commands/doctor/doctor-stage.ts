/** Set-ups for `countersign doctor`: a simulated workspace with scopes, a model and an MCP server. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { runCountersign } from '../../../src/commands/run-countersign.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { aTool, startHttpFixture } from '../../support/servers/mcp-fixture.ts';
import { createMockModel, type MockModel, PROBE_ANSWER } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const MANIFEST = parse(readFileSync(new URL('../../../manifest.yml', import.meta.url), 'utf8')) as {
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
};

/** The scopes of the manifest, as Slack lists them. */
export const SCOPES = MANIFEST.oauth_config.scopes.bot.join(',');
export const POLICY = `version: 1
routes:
  team:
    channel: '#general'
    approvers: ['#general']
rules:
  - tools: [write_file, fixture__look]
    gate: ask
    route: team
`;
const TOOLS = `
export const tools = [{
  name: 'greet', description: 'Greets.', run: async () => 'Hello.',
  schema: (await import('zod')).z.object({ name: (await import('zod')).z.string() }),
}];
`;

type Environment = Record<string, string | undefined>;

interface Line {
  readonly check: string;
  readonly status: string;
  readonly message: string;
}

/** A set-up that can start, with its servers. */
export interface SetUp {
  readonly env: Environment;
  readonly folder: string;
  readonly model: MockModel;
  /** The scopes that Slack returns for the token; undefined: none are listed. */
  scopes: string | undefined;
  /** The error of the machine's clock. */
  clockOffMs: number;
  envFile: () => Record<string, string>;
}

/** Starts the servers for a suite of tests. */
export function openDoctorStage() {
  let workspace: Workspace;
  let model: MockModel;
  let scopes: string | undefined;
  const slack = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(new URL(request.url ?? '/', workspace.apiUrl), {
      method: request.method ?? 'POST',
      headers: {
        'content-type': request.headers['content-type'] ?? 'application/json',
        authorization: request.headers.authorization ?? '',
      },
      ...(request.method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
    });
    const header = scopes === undefined ? {} : { 'x-oauth-scopes': scopes };
    response.writeHead(answer.status, { 'content-type': 'application/json', ...header });
    response.end(await answer.text());
  });

  before(async () => {
    workspace = await createWorkspace({ clock: createSystemClock() });
    model = await createMockModel(undefined, { scriptsProbes: true });
    await new Promise<void>((done) => slack.listen(0, '127.0.0.1', done));
  });
  after(async () => {
    slack.closeAllConnections();
    slack.close();
    await model.stop();
    await workspace.stop();
  });

  async function setUp(t: TestContext): Promise<SetUp> {
    const { path: folder, remove } = await makeTempDir();
    t.after(remove);
    const mcp = await startHttpFixture(t, [aTool('look', () => 'seen')]);
    const files = {
      'policy.yaml': POLICY,
      'tools.mjs': TOOLS,
      'mcp.json': JSON.stringify({ mcpServers: { fixture: { url: mcp.url } } }),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    model.script(() => PROBE_ANSWER);
    const { port } = slack.address() as AddressInfo;
    return {
      folder,
      model,
      scopes: `${SCOPES},reactions:read`,
      clockOffMs: 0,
      envFile: () => ({}),
      env: {
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: workspace.appToken,
        SLACK_API_URL: `http://127.0.0.1:${port}/api/`,
        OPENAI_BASE_URL: model.url,
        OPENAI_API_KEY: 'sk-the-key-of-a-model',
        DATA_DIR: join(folder, 'data'),
        WORKSPACE_DIR: join(folder, 'workspace'),
        POLICY_FILE: join(folder, 'policy.yaml'),
        MCP_CONFIG: join(folder, 'mcp.json'),
        PORT: '0',
        HOST: '127.0.0.1',
      },
    };
  }

  async function ask(set: SetUp, ...args: readonly string[]) {
    scopes = set.scopes;
    const clock = createSystemClock();
    const out: string[] = [];
    const err: string[] = [];
    const code = await runCountersign(['doctor', ...args], {
      env: set.env,
      readEnvFile: set.envFile,
      clock: { ...clock, now: () => clock.now() + set.clockOffMs },
      out: (text) => out.push(text),
      write: async (text) => void out.push(text),
      err: (text) => err.push(text),
    });
    assert.deepEqual(err, []);
    return { code, out: out.join('\n') };
  }

  async function askJson(set: SetUp) {
    const { code, out } = await ask(set, '--json');
    const { checks, ok } = JSON.parse(out) as { checks: readonly Line[]; ok: boolean };
    assert.equal(ok, code === 0);
    return { code, out, checks };
  }

  return { setUp, ask, askJson, botToken: () => workspace.botToken };
}
