/** Gives each settings parser constructs that it does not support: none is ignored or misread. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { readMcpConfig } from '../../src/config/mcp/mcp-config.ts';
import { suggestSetting } from '../../src/config/suggest-setting.ts';
import { callIn } from '../commands/audit/audit-stage.ts';

type Env = Readonly<Record<string, string>>;

function problemsOf(env: Env): string {
  try {
    readConfig(env, { exists: () => true });
    return '';
  } catch (error) {
    assert(error instanceof ConfigError, String(error));
    return error.problems.join('\n');
  }
}

describe('a variable', () => {
  const REFUSED: readonly (readonly [name: string, value: string, problem: RegExp])[] = [
    ...['1e3', '0x10', '08', '+5', '-0', '5.0', '1_000', '５', '1,000', '10m'].map(
      (value) => ['PORT', value, /^PORT must be a whole number/] as const,
    ),
    ...['true', 'yes', 'on', 'TRUE', '01', '2'].map(
      (value) => ['SHOW_USAGE', value, /^SHOW_USAGE must be 1 \(yes\) or 0 \(no\)/] as const,
    ),
    ...['U1AB,,U2AB', ',U1AB', 'U1AB,', 'U1AB;U2AB', 'U1AB|U2AB', '[U1AB]'].map(
      (value) =>
        ['TALK_USERS', value, /^TALK_USERS must be member IDs, .* none of them empty/] as const,
    ),
    ['LOG_LEVEL', 'INFO', /^LOG_LEVEL must be one of/],
    ...['0', '127.1', '0x7f000001', '2130706433', '1.2.3.4.5', '[::1]', 'a b', 'h:80'].map(
      (value) => ['HOST', value, /^HOST must be a host name or an IP address alone/] as const,
    ),
    ...['~/data', '$HOME/data', '\x24{HOME}/data', 'file:///srv/data', 'a\nb'].map(
      (value) => ['DATA_DIR', value, /^DATA_DIR must be a plain path/] as const,
    ),
    ['POLICY_FILE', '~/policy.yaml', /^POLICY_FILE must be a plain path/m],
    ...['http://h/v1?key=x', 'http://h/v1#x', 'http://me@h/v1', 'http://h/a b', 'http://h\\v1'].map(
      (value) => ['OPENAI_BASE_URL', value, /^OPENAI_BASE_URL has a .* be lost/] as const,
    ),
    ...['redis://h?db=2', 'redis://h#1', 'redis://h/one', 'redis://h/1/2', 'unix:///s?db=1'].map(
      (value) => ['REDIS_URL', value, /^REDIS_URL must be the address of a Redis/] as const,
    ),
    ['GRAPH', 'https://h/base?key=x#agent', /^GRAPH has a query/],
    ['GRAPH', 'https://h\\base#agent', /^GRAPH has a query, a space or a “\\”/],
    ...['https://me:pw@h/jwks', 'https://h/jwks#x', 'http://127.evil.example/jwks'].map(
      (value) => ['APPROVER_JWKS_URL', value, /^APPROVER_JWKS_URL must be an https/m] as const,
    ),
    ['APPROVER_JWT_SECRET', `${'x'.repeat(32)}\n`, /^APPROVER_JWT_SECRET begins or ends with/m],
    ['APPROVER_JWT_AUDIENCE', ' me', /^APPROVER_JWT_AUDIENCE begins or ends with white space/m],
    ['WORKSPACE_DIR', './files ', /^WORKSPACE_DIR begins or ends with white space/m],
  ];
  for (const [name, value, problem] of REFUSED) {
    it(`${name}=${JSON.stringify(value)} stops the start`, () => {
      assert.match(problemsOf({ [name]: value }), problem);
    });
  }

  it('with a misspelled name gets a suggestion', () => {
    const meant = {
      LOGLEVEL: 'LOG_LEVEL',
      POLICY_FLE: 'POLICY_FILE',
      port: 'PORT',
      WORKSPACE_DIRECTORY: undefined,
      TALK_USER: 'TALK_USERS',
      HOSTS: 'HOST',
      NODE: undefined,
      ALOW_UNSANDBOXED_COMMANDS: 'ALLOW_UNSANDBOXED_COMMANDS',
      PORT: undefined,
      PATH: undefined,
      HOME: undefined,
      COUNTERSIGN_URL: undefined,
      GITHUB_TOKEN: undefined,
    };
    const found = Object.keys(meant).map((name) => [name, suggestSetting(name)]);
    assert.deepEqual(Object.fromEntries(found), meant);
  });

  it('that is no setting gets a warning, in the environment only if it is similar to one', () => {
    const warningsOf = (environment: Env, envFile: Env) =>
      readConfig({ ...envFile, ...environment }, { exists: () => false, envFile }).warnings;
    assert.deepEqual(warningsOf({ LOGLEVEL: 'debug', EDITOR: 'vi' }, {}), [
      'LOGLEVEL is not a setting. Did you mean LOG_LEVEL?',
    ]);
    // Names of other programs that only look like ours.
    const others = {
      NODE: '/usr/bin/node',
      HOSTS: 'a',
      OPENAI_API_KEY_2: 'x',
      SLCK_APP_TOKEN: 'x',
    };
    assert.deepEqual(warningsOf(others, {}), []);
    assert.deepEqual(warningsOf({ POLICY_FLE: 'x', DATADIR: 'y' }, {}), [
      'POLICY_FLE is not a setting. Did you mean POLICY_FILE?',
      'DATADIR is not a setting. Did you mean DATA_DIR?',
    ]);
    assert.deepEqual(warningsOf({}, { COLOUR: 'red', LOG_LEVEL: 'info' }), [
      'COLOUR in .env has no effect: no setting has this name.',
    ]);
    const [hidden] = warningsOf({ LOG_LEVEL: '' }, { LOG_LEVEL: 'debug' });
    assert.match(
      hidden ?? '',
      /^LOG_LEVEL is empty in the environment, which overrides its value in \.env/,
    );
  });
});

const SECRET = 'sk-secret-of-mine';

describe('MCP_CONFIG', () => {
  const read = (servers: string, env: Env = {}) =>
    readMcpConfig('mcp.json', env, () =>
      servers.startsWith('{') ? servers : `{"mcpServers":{"a":{${servers}}}}`,
    );

  const REFUSED: readonly (readonly [what: string, servers: string, problem: RegExp])[] = [
    [
      'comments',
      '{"mcpServers":{} // none\n}',
      /not valid JSON \(line 1, column 18\).*remove comments/,
    ],
    [
      'a trailing comma',
      '{"mcpServers":{},}',
      /is not valid JSON.*remove comments, trailing commas/,
    ],
    ['a key twice', '"command":"x","command":"y"', /is not valid JSON.*duplicate keys/],
    [
      'a server twice',
      '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}',
      /duplicate keys/,
    ],
    ['a number that loses digits', '"command":"x","id":12345678901234567890', /is not valid JSON/],
    ['a prototype', '"command":"x","__proto__":{}', /is not valid JSON/],
    ['another program’s list', '{"mcpServers":{},"servers":{"a":{}}}', /“servers” is not read/],
    ['nearly its list', '{"mcpServers":{},"mcpservers":{}}', /“mcpservers” is not read/],
    ['a program and an address', '"command":"x","url":"http://h"', /keep one of them/],
    ['a nearly right key', '"command":"x","arg":["y"]', /“arg” is not a known key.*mean “args”/],
    ['a key in other case', '"command":"x","ENV":{}', /“ENV” is not a known key.*mean “env”/],
    ['off in quotes', '"command":"x","disabled":"true"', /“disabled” must be true or false/],
    ['on as a number', '"command":"x","enabled":0', /“enabled” must be true or false/],
    ['its address by another name', '"httpUrl":"http://h"', /“httpUrl” is not read: call it “url”/],
    ['its type by another name', '"url":"http://h","transport":"sse"', /call it “type”/],
    ['a file of variables', '"command":"x","envFile":".env"', /“envFile” is not read: name/],
    ['a sign-in', '"url":"http://h","oauth":{}', /“oauth” is not read: put.*“headers”/],
    ['fewer tools', '"command":"x","excludeTools":["rm"]', /does not remove tools here.*policy/],
    ['some tools', '"command":"x","tools":["a"]', /“tools” does not remove tools here/],
    ['a sandbox', '"command":"x","sandbox":true', /servers run without a sandbox/],
    ['an address with a hash', '"url":"http://h/mcp#x"', /not an http\(s\) address, or has/],
    ['a header twice', '"url":"http://h","headers":{"A":"1","a":"2"}', /header twice/],
    ['a variable’s name', '"command":"x","env":{"A=B":"1"}', /invalid names of variables/],
    [
      'an input',
      '"command":"x","env":{"A":"\x24{input:token}"}',
      /holds \$\{input:token\}, which looks/,
    ],
    [
      'an editor’s variable',
      '"command":"\x24{workspaceFolder}/x"',
      /holds \$\{workspaceFolder\}|needs/,
    ],
    ['a file’s content', '"command":"x","env":{"A":"{file:./key}"}', /holds \{file:\.\/key\}/],
    ['a template', '"command":"x","args":["{{ KEY }}"]', /holds \{\{ KEY \}\}/],
    ['a variable of Windows', '"command":"x","env":{"A":"%KEY%"}', /holds %KEY%/],
    ['a shell’s default', `"command":"x","env":{"A":"\${B-${SECRET}}"}`, /holds \$\{B…,/],
    ['a shell’s complaint', `"command":"x","env":{"A":"\${B:?${SECRET}}"}`, /holds \$\{B…,/],
    ['a nested default', `"command":"x","env":{"A":"\${B:-\${C:-${SECRET}}}"}`, /holds \$\{B…,/],
    ['an open brace', `"command":"x","env":{"A":"\${B ${SECRET}"}`, /holds \$\{, which/],
    ['a command', '"url":"http://h","headers":{"A":"$(cat key)"}', /holds \$\(, which/],
    ['a variable that is not set', '"command":"x","args":["$NO_SUCH"]', /the variable NO_SUCH/],
    ['one of an editor', '"command":"x","args":["\x24{env:NO_SUCH}"]', /the variable NO_SUCH/],
  ];
  for (const [what, servers, problem] of REFUSED) {
    it(`with ${what} stops the start, and shows no secret`, () => {
      const { problems } = read(servers);
      assert.ok(problems.length > 0);
      assert.match(problems.join('\n'), problem);
      assert.doesNotMatch(problems.join('\n'), new RegExp(SECRET));
    });
  }

  const TOLD: readonly (readonly [entry: string, warning: RegExp])[] = [
    ['"command":"x","sseReadTimeout":60', /“sseReadTimeout” has no effect here: a stream may/],
    ['"command":"x","alwaysAllow":["y"]', /“alwaysAllow” has no effect here: .*the policy decides/],
    ['"command":"x","headers":{}', /“headers” has no effect here, beside a “command”/],
    ['"url":"http://h","env":{"A":"1"}', /“env” has no effect here, beside a “url”/],
    ['"command":"x","icon":"🙂"', /“icon” has no effect here\.$/],
    ['{"mcpServers":{},"inputs":[]}', /^MCP_CONFIG: “inputs” has no effect here\.$/],
  ];
  for (const [entry, warning] of TOLD) {
    it(`with ${entry} starts, and warns about what has no effect`, () => {
      const { problems, warnings } = read(entry);
      assert.deepEqual(problems, []);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', warning);
    });
  }

  it('substitutes variables in each syntax of other programs', () => {
    const env = { KEY: 'a}b$c\x24{KEY}', PORT_OF_IT: '8080', EMPTY: '' };
    const forms = [
      '\x24{KEY}',
      '\x24{env:KEY}',
      '{env:KEY}',
      '$KEY',
      '\x24{NO:-$}',
      '\x24{EMPTY:-x y}',
    ];
    const plain = ['$', '$$', '$5', 'a$', '{KEY}', '%20', '{"a":{"b":1}}', '^x$', '$(date)'];
    const entry = { command: 'x', args: [...forms.slice(0, 4), ...plain], env: { A: forms[5] } };
    const { problems, servers, variables } = read(
      JSON.stringify({ mcpServers: { a: entry } }),
      env,
    );
    assert.deepEqual(problems, []);
    assert(servers[0]?.reach.kind === 'stdio');
    assert.deepEqual(servers[0].reach.args, [...Array(4).fill(env.KEY), ...plain]);
    assert.deepEqual(servers[0].reach.env, { A: 'x y' });
    assert.deepEqual([...variables], ['KEY', 'EMPTY']);
  });

  it('leaves out disabled servers, with either keyword', () => {
    const { problems, servers } = read(
      '{"mcpServers":{"a":{"disabled":true,"x":1},"b":{"enabled":false},"c":{"command":"x","enabled":true,"disabled":false}}}',
    );
    assert.deepEqual([problems, servers.map(({ name }) => name)], [[], ['c']]);
  });
});

describe('a command', () => {
  const EXPLAIN = ['policy', 'explain', 'x', '{}', '--requester', 'U1', '--channel', 'C1'];
  const REFUSED: readonly (readonly [args: readonly string[], problem: RegExp])[] = [
    [['audit', 'verify', '--all'], /Unknown option '--all'/],
    [['audit', 'verify', '--json', '--json'], /--json is given twice/],
    [['audit', 'verify', '--json=yes'], /does not take an argument/],
    [['audit', 'verify', 'now'], /Unexpected argument 'now'/],
    [['audit', 'export', '--from'], /argument missing/],
    [['audit', 'export', '--from', '--to', '1d'], /argument is ambiguous/],
    [['audit', 'export', '--format', 'csv', '--format', 'jsonl'], /--format is given twice/],
    [['audit', 'export', '--out', ''], /--out has no value/],
    [['audit', 'export', '--from', '1e3'], /--from must be a day/],
    [['audit', 'export', '--from', '2026-02-30'], /--from must be a day/],
    [['keys', 'create', '--name', 'a', '--name', 'b'], /--name is given twice/],
    [['keys', 'create', '--name', 'a', '--channels', ''], /--channels has no value/],
    [['keys', 'create', '--name', 'a', '--channels', 'C0A,,C0B'], /--channels has an empty item/],
    [['keys', 'create', '--name', 'a', '--scopes', ','], /--scopes has an empty item/],
    [['keys', 'create', '--name', 'a', '--expires', '0x10d'], /--expires must be a duration/],
    [['keys', 'revoke', 'a', 'b'], /Give the id or the name of one key/],
    [['policy', 'check', '--file', 'a', 'b'], /Name one file/],
    [[...EXPLAIN, '--requester', 'U2'], /--requester is given twice/],
    [[...EXPLAIN.slice(0, 3), '{"a":1,"a":2}', ...EXPLAIN.slice(4)], /“?"a" appears twice/],
    [[...EXPLAIN.slice(0, 3), '{"a":1e400}', ...EXPLAIN.slice(4)], /would lose digits/],
    [['policy', 'rewrite'], /There is no command “policy rewrite”/],
  ];
  for (const [args, problem] of REFUSED) {
    it(`“${args.join(' ')}” ends with 2 and says what is wrong`, async () => {
      const { code, err, out } = await callIn({}, args);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err.split('\n')[0] ?? '', problem);
    });
  }
});
