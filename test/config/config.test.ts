import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { secretValuesOf } from '../../src/config/secret-settings.ts';

type Env = Record<string, string | undefined>;

const read = (env: Env) => readConfig(env, { exists: () => false });

const SOCKET = { SLACK_BOT_TOKEN: 'xoxb-1-2-abc', SLACK_APP_TOKEN: 'xapp-1-A2-abc' };
const HTTP = { SLACK_BOT_TOKEN: 'xoxb-1-2-abc', SLACK_SIGNING_SECRET: '0123456789abcdef' };
const MODEL = { OPENAI_API_KEY: 'sk-key-of-a-model' };

describe('the configuration from the environment', () => {
  test('token usage is shown to people on request', () => {
    assert.equal(read({ SHOW_USAGE: '1' }).showsUsage, true);
    assert.equal(read({ SHOW_USAGE: '0' }).showsUsage, false);
  });

  test('a model without tools is accepted only on request', () => {
    assert.equal(read({}).allowsModelWithoutTools, false);
    assert.equal(read({ ALLOW_MODEL_WITHOUT_TOOLS: '1' }).allowsModelWithoutTools, true);
  });

  test('records are kept forever or for whole days, and the limit of waiting calls is a whole number', () => {
    const { keeping, maxPendingPerPerson } = read({
      AUDIT_DAYS: '400',
      HISTORY_DAYS: '90',
      MAX_PENDING_PER_PERSON: '5',
    });
    assert.deepEqual([keeping, maxPendingPerPerson], [{ auditDays: 400, historyDays: 90 }, 5]);
    for (const wrong of ['0', '-1', '1.5', 'forever']) {
      const names = ['AUDIT_DAYS', 'HISTORY_DAYS', 'MAX_PENDING_PER_PERSON'];
      for (const name of names) {
        assert.throws(() => read({ [name]: wrong }), new RegExp(`${name} must be a whole number`));
      }
    }
    assert.throws(() => read({ AUDIT_DAYS: '36501' }), /AUDIT_DAYS .*days from 1 to 36500\./);
    assert.throws(() => read({ HISTORY_DAYS: '36501' }), /HISTORY_DAYS .*days from 1 to 36500\./);
    assert.throws(() => read({ MAX_PENDING_PER_PERSON: '100001' }), /calls from 1 to 100000\./);
  });

  test('an empty environment is the playground with every default', () => {
    assert.deepEqual(read({}), {
      mode: 'playground',
      host: '127.0.0.1',
      port: 3000,
      dataDir: resolve('data'),
      workspaceDir: resolve('workspace'),
      commands: { hasNetwork: false, allowUnsandboxed: false },
      talk: { adminUsers: new Set() },
      mcp: { servers: [], secrets: [] },
      maxPendingPerPerson: 50,
      reportMs: 600_000,
      api: { ratePerMinute: 600, maxPendingPerKey: 100 },
      http: { keepAliveMs: 65_000, headersMs: 70_000, trustedProxies: [], corsOrigins: [] },
      keeping: {},
      contextTokens: 24_000,
      showsUsage: false,
      digestOver: 10,
      notificationDetail: 'summary',
      modelSeesImages: false,
      allowsModelWithoutTools: false,
      logLevel: 'info',
      warnings: [],
    });
  });

  test('images go only to OpenAI’s own service by default, and to other servers on request', () => {
    const sees = (env: Env) => read({ ...SOCKET, ...env }).modelSeesImages;
    const local = { OPENAI_BASE_URL: 'http://localhost:11434/v1' };
    assert.equal(sees(MODEL), true);
    assert.equal(sees({ ...MODEL, MODEL_SEES_IMAGES: '0' }), false);
    assert.equal(sees({ ...MODEL, ...local }), false);
    assert.equal(sees({ ...local, MODEL_SEES_IMAGES: '1' }), true);
  });

  test('lists of people and channels are separated by commas or spaces', () => {
    const { talk } = read({
      ADMIN_USERS: 'U012AB3CD, W012AB3CD',
      TALK_USERS: 'U012AB3CD',
      TALK_CHANNELS: 'C012AB3CD G012AB3CD , D012AB3CD',
    });
    assert.deepEqual(talk, {
      adminUsers: new Set(['U012AB3CD', 'W012AB3CD']),
      users: new Set(['U012AB3CD']),
      channels: new Set(['C012AB3CD', 'G012AB3CD', 'D012AB3CD']),
    });
  });

  test('a bot token and an app token are a workspace by Socket Mode', () => {
    const config = read({ ...SOCKET, ...MODEL });
    assert(config.mode === 'slack');
    assert.deepEqual(config.slack, {
      delivery: 'socket',
      botToken: 'xoxb-1-2-abc',
      appToken: 'xapp-1-A2-abc',
      apiUrl: 'https://slack.com/api/',
    });
    assert.equal(config.host, '127.0.0.1');
    assert.deepEqual(config.model, {
      provider: 'openai',
      name: 'gpt-4o-mini',
      apiKey: 'sk-key-of-a-model',
    });
  });

  test('a bot token and a signing secret are a workspace over HTTP, open to the network', () => {
    const config = read({ ...HTTP, ...MODEL });
    assert(config.mode === 'slack');
    assert.deepEqual(config.slack, {
      delivery: 'http',
      botToken: 'xoxb-1-2-abc',
      signingSecret: '0123456789abcdef',
      apiUrl: 'https://slack.com/api/',
    });
    assert.equal(config.host, '0.0.0.0');
  });

  test('with an app token and a signing secret Socket Mode wins, and the start says so', () => {
    const config = read({ ...SOCKET, ...HTTP, ...MODEL });
    assert(config.mode === 'slack');
    assert.equal(config.slack.delivery, 'socket');
    assert.equal(config.host, '127.0.0.1');
    assert.match(config.warnings.join(), /SLACK_SIGNING_SECRET has no effect/);
  });

  test('HOST wins over every default', () => {
    for (const env of [{}, { ...SOCKET, ...MODEL }, { ...HTTP, ...MODEL }]) {
      assert.equal(read({ ...env, HOST: '::1' }).host, '::1');
    }
  });

  test('a base URL alone is a model without a key, in both modes', () => {
    const env = { OPENAI_BASE_URL: 'http://localhost:11434/v1', MODEL: 'openai/org/llama-3.3:8b' };
    const model = {
      provider: 'openai',
      name: 'org/llama-3.3:8b',
      baseUrl: 'http://localhost:11434/v1',
    };
    assert.deepEqual(read(env).model, model);
    assert.deepEqual(read({ ...SOCKET, ...env }).model, model);
  });

  test('a model of another provider uses its own variables, in both modes', () => {
    const env = {
      MODEL: 'anthropic/claude',
      ANTHROPIC_API_KEY: 'sk-ant-x',
      OPENAI_API_KEY: 'sk-y',
    };
    const model = { provider: 'anthropic', name: 'claude', apiKey: 'sk-ant-x' };
    for (const config of [read(env), read({ ...SOCKET, ...env })]) {
      assert.deepEqual(config.model, model);
      assert.deepEqual(config.warnings, []);
      assert(secretValuesOf(config).includes('sk-ant-x'));
    }
    const own = { MODEL: 'xai/grok', XAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    const access = { provider: 'xai', name: 'grok', baseUrl: 'http://127.0.0.1:1/v1' };
    assert.deepEqual(read(own).model, access);
  });

  test('a model of a provider that the config does not know is left to the agent', () => {
    const model = { provider: 'google', name: 'gemini' };
    assert.deepEqual(read({ ...SOCKET, MODEL: 'google/gemini' }).model, model);
  });

  test('an API address gets the slash that method names are appended to', () => {
    const config = read({ ...SOCKET, ...MODEL, SLACK_API_URL: 'http://127.0.0.1:1/api' });
    assert(config.mode === 'slack');
    assert.equal(config.slack.apiUrl, 'http://127.0.0.1:1/api/');
  });

  test('blank values count as unset, and spaces around a value are trimmed', () => {
    const blank = {
      SLACK_BOT_TOKEN: '',
      SLACK_APP_TOKEN: ' ',
      PORT: '',
      REDIS_URL: '',
      MODEL: '\t',
    };
    assert.deepEqual(read(blank), read({}));
    assert.equal(read({ PORT: ' 0\n' }).port, 0);
  });

  test('relative paths start at the working directory', () => {
    const config = read({ DATA_DIR: 'state', WORKSPACE_DIR: '/srv/w', TOOLS_MODULE: './tools.ts' });
    assert.equal(config.dataDir, resolve('state'));
    assert.equal(config.workspaceDir, '/srv/w');
    assert.equal(config.toolsModule, resolve('tools.ts'));
  });

  test('the policy file is the named one, else ./policy.yaml if it exists', () => {
    const policyOf = (env: Env, there: string) =>
      readConfig(env, { exists: (path) => path === resolve(there) }).policyFile;
    assert.equal(policyOf({}, 'policy.yaml'), resolve('policy.yaml'));
    assert.equal(policyOf({}, 'other.yaml'), undefined);
    assert.equal(policyOf({ POLICY_FILE: './other.yaml' }, 'other.yaml'), resolve('other.yaml'));
  });

  test('a key for the web search enables it, with its defaults, and is never shown', () => {
    const config = read({ TAVILY_API_KEY: 'tvly-abc' });
    const defaults = { apiKey: 'tvly-abc', baseUrl: 'https://api.tavily.com', maxResults: 5 };
    assert.deepEqual(config.search, defaults);
    assert.deepEqual(config.warnings, []);
    assert(secretValuesOf(config).includes('tvly-abc'));
    const own = { TAVILY_BASE_URL: 'http://127.0.0.1:1/x', MAX_SEARCH_RESULTS: '20' };
    const inSlack = read({ ...SOCKET, ...MODEL, TAVILY_API_KEY: 'tvly-abc', ...own });
    const search = { apiKey: 'tvly-abc', baseUrl: 'http://127.0.0.1:1/x', maxResults: 20 };
    assert.deepEqual(inSlack.search, search);
    assert(secretValuesOf(inSlack).includes('tvly-abc'));
  });

  test('commands get a network, or no sandbox, only on request', () => {
    const both = { COMMAND_NETWORK: '1', ALLOW_UNSANDBOXED_COMMANDS: '1' };
    assert.deepEqual(read(both).commands, { hasNetwork: true, allowUnsandboxed: true });
    const neither = { COMMAND_NETWORK: '0', ALLOW_UNSANDBOXED_COMMANDS: '0' };
    assert.deepEqual(read(neither).commands, { hasNetwork: false, allowUnsandboxed: false });
  });

  test('an address of Redis moves the state there, and its password is never shown', () => {
    const config = read({ REDIS_URL: 'redis://me:pass%40word@localhost:1' });
    const url = 'redis://me:pass%40word@localhost:1';
    assert.deepEqual(config.redis, { url, prefix: 'countersign' });
    assert(secretValuesOf(config).includes('pass@word'));
    const socket = read({ REDIS_URL: 'unix:///run/redis.sock', REDIS_PREFIX: 'team-a' });
    assert.deepEqual(socket.redis, { url: 'unix:///run/redis.sock', prefix: 'team-a' });
    assert.equal(read({}).redis, undefined);
  });

  test('user tokens have one signer, and its secret is never shown', () => {
    const secret = 'x'.repeat(32);
    const of = { APPROVER_JWT_AUDIENCE: 'countersign', APPROVER_JWT_ISSUER: 'me' };
    const bySecret = read({ APPROVER_JWT_SECRET: secret, ...of });
    assert.deepEqual(bySecret.api.people, {
      by: { kind: 'secret', secret },
      audience: 'countersign',
      issuer: 'me',
    });
    assert(secretValuesOf(bySecret).includes(secret));
    const url = 'https://login.example.com/jwks.json';
    const byKeys = read({ APPROVER_JWKS_URL: url, APPROVER_JWT_AUDIENCE: 'countersign' });
    assert.deepEqual(byKeys.api.people, { by: { kind: 'jwks', url }, audience: 'countersign' });
    assert.doesNotThrow(() =>
      read({ APPROVER_JWKS_URL: 'http://127.0.0.1:1/jwks', APPROVER_JWT_AUDIENCE: 'a' }),
    );
  });

  const UNUSED: readonly Env[] = [
    { REDIS_PREFIX: 'mine' },
    { TAVILY_BASE_URL: 'https://api.tavily.com' },
    { MAX_SEARCH_RESULTS: '5' },
    { MODEL: 'openai/gpt-4o' },
    { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
    { APPROVER_JWT_AUDIENCE: 'countersign' },
    { APPROVER_JWT_ISSUER: 'https://login.example.com' },
  ];
  for (const env of UNUSED) {
    const [name = ''] = Object.keys(env);
    test(`${name} alone starts, with the warning that it has no effect`, () => {
      const { warnings } = read(env);
      assert.equal(warnings.length, 1);
      assert(warnings[0]?.startsWith(`${name} has no effect`), warnings[0]);
    });
  }
});
