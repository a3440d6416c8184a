import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { parseEnvFile } from '../../src/config/env-file/parse-env-file.ts';
import { Variables } from '../../src/config/setting-variables.ts';

type Env = Record<string, string | undefined>;

const SOCKET = { SLACK_BOT_TOKEN: 'xoxb-1-2-abc', SLACK_APP_TOKEN: 'xapp-1-A2-abc' };
const HTTP = { SLACK_BOT_TOKEN: 'xoxb-1-2-abc', SLACK_SIGNING_SECRET: '0123456789abcdef' };
const MODEL = { OPENAI_API_KEY: 'sk-key-of-a-model' };

function problemsOf(env: Env, exists: (path: string) => boolean = () => false): readonly string[] {
  try {
    readConfig(env, { exists });
  } catch (error) {
    assert(error instanceof ConfigError, String(error));
    return error.problems;
  }
  return [];
}

/** Wrong settings, the variable that the problem must name, and the remedy that it must contain. */
const WRONG: readonly (readonly [what: string, env: Env, names: string, remedy: RegExp])[] = [
  [
    'a bot token alone',
    { SLACK_BOT_TOKEN: 'xoxb-1', ...MODEL },
    'SLACK_APP_TOKEN',
    /Add SLACK_APP_TOKEN .* or SLACK_SIGNING_SECRET/,
  ],
  [
    'an app token alone',
    { SLACK_APP_TOKEN: 'xapp-1' },
    'SLACK_BOT_TOKEN',
    /Add the bot token .*unset SLACK_APP_TOKEN/,
  ],
  [
    'a signing secret alone',
    { SLACK_SIGNING_SECRET: 'abc' },
    'SLACK_BOT_TOKEN',
    /unset SLACK_SIGNING_SECRET/,
  ],
  [
    'a bot token as README.md shows it',
    { ...HTTP, ...MODEL, SLACK_BOT_TOKEN: 'xoxb-…' },
    'SLACK_BOT_TOKEN',
    /characters that are not allowed in a token\. Copy the whole token again/,
  ],
  [
    'an app token with an invisible space',
    { SLACK_BOT_TOKEN: 'xoxb-1', ...MODEL, SLACK_APP_TOKEN: 'xapp-1\u200b2' },
    'SLACK_APP_TOKEN',
    /characters that are not allowed in a token/,
  ],
  [
    'an abridged signing secret',
    { ...HTTP, ...MODEL, SLACK_SIGNING_SECRET: '0123…' },
    'SLACK_SIGNING_SECRET',
    /must be the signing secret.*“Basic Information”/,
  ],
  ['a name as an admin', { ADMIN_USERS: '@ann' }, 'ADMIN_USERS', /member IDs.*Copy member ID/],
  [
    'a channel among the people',
    { TALK_USERS: 'U012AB3CD,C012AB3CD' },
    'TALK_USERS',
    /member IDs, separated by commas/,
  ],
  ['no person at all', { TALK_USERS: ',' }, 'TALK_USERS', /member IDs/],
  [
    'the name of a channel',
    { TALK_CHANNELS: '#general' },
    'TALK_CHANNELS',
    /channel IDs.*bottom of “About”/,
  ],
  [
    'a key set for user tokens over plain HTTP',
    { APPROVER_JWKS_URL: 'http://login.example.com/jwks', APPROVER_JWT_AUDIENCE: 'a' },
    'APPROVER_JWKS_URL',
    /must be an https address/,
  ],
  [
    'a short secret for user tokens',
    { APPROVER_JWT_SECRET: 'short', APPROVER_JWT_AUDIENCE: 'a' },
    'APPROVER_JWT_SECRET',
    /at least 32 bytes/,
  ],
  [
    'user tokens without an audience',
    { APPROVER_JWT_SECRET: 'x'.repeat(32) },
    'APPROVER_JWT_AUDIENCE',
    /Set it to the “aud” claim of your tokens/,
  ],
  [
    'two signers of user tokens',
    {
      APPROVER_JWT_SECRET: 'x'.repeat(32),
      APPROVER_JWKS_URL: 'https://login.example.com/jwks',
      APPROVER_JWT_AUDIENCE: 'a',
    },
    'APPROVER_JWKS_URL',
    /Unset one/,
  ],
  ['Socket Mode without a model', SOCKET, 'OPENAI_API_KEY', /Add the key, or OPENAI_BASE_URL/],
  ['HTTP without a model', HTTP, 'OPENAI_API_KEY', /Add the key, or OPENAI_BASE_URL/],
  [
    'a user token as bot token',
    { ...SOCKET, ...MODEL, SLACK_BOT_TOKEN: 'xoxp-1' },
    'SLACK_BOT_TOKEN',
    /starts with xoxb-.*OAuth & Permissions/,
  ],
  [
    'a bot token as app token',
    { ...SOCKET, ...MODEL, SLACK_APP_TOKEN: 'xoxb-1' },
    'SLACK_APP_TOKEN',
    /starts with xapp-.*connections:write/,
  ],
  [
    'an app token as signing secret',
    { ...HTTP, ...MODEL, SLACK_SIGNING_SECRET: 'xapp-1' },
    'SLACK_SIGNING_SECRET',
    /Basic Information/,
  ],
  [
    'an API address without a scheme',
    { ...SOCKET, ...MODEL, SLACK_API_URL: 'slack.com/api/' },
    'SLACK_API_URL',
    /Write it like https/,
  ],
  [
    'an API address of another scheme',
    { ...SOCKET, ...MODEL, SLACK_API_URL: 'ftp://slack.com/' },
    'SLACK_API_URL',
    /http/,
  ],
  ['a port that is a word', { PORT: 'http' }, 'PORT', /0 .*to 65535/],
  ['a port that is too high', { PORT: '65536' }, 'PORT', /65535/],
  ['a negative port', { PORT: '-1' }, 'PORT', /whole number/],
  ['a port with a fraction', { PORT: '80.5' }, 'PORT', /whole number/],
  ['a host with a port', { HOST: 'localhost:3000' }, 'HOST', /alone/],
  ['a host with a scheme', { HOST: 'http://localhost' }, 'HOST', /alone/],
  [
    'a model address without a scheme',
    { OPENAI_BASE_URL: 'localhost:11434' },
    'OPENAI_BASE_URL',
    /Write it like http/,
  ],
  ['a model without its provider', { ...MODEL, MODEL: 'gpt-4o' }, 'MODEL', /provider\/name/],
  ['a model without its name', { ...MODEL, MODEL: 'openai/' }, 'MODEL', /provider\/name/],
  [
    'another provider without its key',
    { ...MODEL, MODEL: 'anthropic/claude' },
    'ANTHROPIC_API_KEY',
    /MODEL names anthropic.*Add the key, or ANTHROPIC_BASE_URL/,
  ],
  ['a window that is too small', { CONTEXT_TOKENS: '100' }, 'CONTEXT_TOKENS', /2000 to 100000000/],
  ['a window that is a word', { CONTEXT_TOKENS: '24k' }, 'CONTEXT_TOKENS', /whole number/],
  ['an unknown log level', { LOG_LEVEL: 'verbose' }, 'LOG_LEVEL', /one of trace, debug, info/],
  [
    'an unknown detail of notifications',
    { NOTIFICATION_DETAIL: 'all' },
    'NOTIFICATION_DETAIL',
    /one of none, summary, full/,
  ],
  ['no search results', { MAX_SEARCH_RESULTS: '0' }, 'MAX_SEARCH_RESULTS', /1 to 20/],
  [
    'a search address without a scheme',
    { TAVILY_BASE_URL: 'tavily' },
    'TAVILY_BASE_URL',
    /Write it like https/,
  ],
  [
    'a yes as a word',
    { COMMAND_NETWORK: 'yes' },
    'COMMAND_NETWORK',
    /must be 1 \(yes\) or 0 \(no\)/,
  ],
  [
    'a true for a 1',
    { ALLOW_UNSANDBOXED_COMMANDS: 'true' },
    'ALLOW_UNSANDBOXED_COMMANDS',
    /must be 1 \(yes\) or 0 \(no\)/,
  ],
  [
    'a Redis address without a scheme',
    { REDIS_URL: 'localhost:6379' },
    'REDIS_URL',
    /must be the address of a Redis server, like redis:\/\/localhost:6379/,
  ],
  [
    'a password for Redis that is not encoded',
    { REDIS_URL: 'redis://:100%@localhost' },
    'REDIS_URL',
    /special characters of the password like %40/,
  ],
  [
    'a prefix that would cut a hash tag',
    { REDIS_URL: 'redis://localhost', REDIS_PREFIX: 'a{b}' },
    'REDIS_PREFIX',
    /letters, digits/,
  ],
  [
    'a missing policy file',
    { POLICY_FILE: './rules.yaml' },
    'POLICY_FILE ./rules.yaml',
    /does not exist.*unset POLICY_FILE to use the built-in ones/,
  ],
  [
    'a missing file of MCP servers',
    { MCP_CONFIG: './no-such-mcp.json' },
    'MCP_CONFIG',
    /can't be read: ENOENT.*Name a file like/,
  ],
  ['one folder for both', { DATA_DIR: './x', WORKSPACE_DIR: 'x' }, 'DATA_DIR', /outside/],
  ['data in the workspace', { DATA_DIR: './workspace/data' }, 'DATA_DIR', /outside/],
  [
    'the workspace in the data',
    { WORKSPACE_DIR: './data/files/..//w' },
    'WORKSPACE_DIR',
    /outside/,
  ],
  ['everything as the workspace', { WORKSPACE_DIR: '/' }, 'DATA_DIR', /outside/],
];

describe('problems that stop the start', () => {
  for (const [what, env, names, remedy] of WRONG) {
    test(`${what} is one problem that names ${names} and the remedy`, () => {
      const problems = problemsOf(env);
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', new RegExp(`^${names}[ :]`));
      assert.match(problems[0] ?? '', remedy);
    });
  }

  test('include a policy file in the workspace, named or not', () => {
    const named = problemsOf({ POLICY_FILE: './workspace/a/policy.yaml' }, () => true);
    assert.equal(named.length, 1);
    assert.match(named[0] ?? '', /^POLICY_FILE .*inside WORKSPACE_DIR.*could rewrite.*outside/);
    // The working directory of the tests is the app itself, which is refused too.
    const unnamed = problemsOf({ WORKSPACE_DIR: '.' }, (path) => path === resolve('policy.yaml'));
    assert.ok(unnamed.some((problem) => problem.startsWith('POLICY_FILE')));
  });

  test('are all listed at once, in the message too', () => {
    const env = {
      SLACK_BOT_TOKEN: 'nonsense',
      PORT: 'x',
      POLICY_FILE: 'p.yaml',
      LOG_LEVEL: 'loud',
    };
    const problems = problemsOf(env);
    assert.deepEqual(
      problems.map((problem) => problem.split(' ')[0]),
      ['SLACK_BOT_TOKEN', 'PORT', 'LOG_LEVEL', 'SLACK_APP_TOKEN', 'OPENAI_API_KEY', 'POLICY_FILE'],
    );
    const { message } = new ConfigError(problems);
    for (const problem of problems) assert(message.includes(problem));
  });

  test('never contain the value of a secret', () => {
    const secret = 'hunter2-hunter2';
    const names = [
      'SLACK_BOT_TOKEN',
      'SLACK_APP_TOKEN',
      'SLACK_SIGNING_SECRET',
      'OPENAI_API_KEY',
      'TAVILY_API_KEY',
      'REDIS_URL',
      'OPENAI_BASE_URL',
      'SLACK_API_URL',
      'TAVILY_BASE_URL',
      'MODEL',
      'HOST',
      'PORT',
      'LOG_LEVEL',
    ];
    const problems = problemsOf(Object.fromEntries(names.map((name) => [name, `xapp ${secret}`])));
    assert(problems.length > 8);
    assert(!problems.join().includes(secret));
  });
});

const EXAMPLE = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

test('.env.example can be parsed, names every variable once and sets none', () => {
  const names = [...EXAMPLE.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => {
    assert.equal(value, '');
    return name;
  });
  assert.deepEqual(parseEnvFile(Buffer.from(EXAMPLE)).problems, []);
  const known = Object.keys(Variables.shape);
  assert.deepEqual(names.toSorted(), known.toSorted());
});
