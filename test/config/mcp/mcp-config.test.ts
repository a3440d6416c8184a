/** The file of MCP servers: what it means, and the errors of an invalid one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMcpConfig } from '../../../src/config/mcp/mcp-config.ts';

function read(file: unknown, env: Readonly<Record<string, string>> = {}) {
  const text = typeof file === 'string' ? file : JSON.stringify({ mcpServers: file });
  return readMcpConfig('mcp.json', env, () => text);
}

describe('the file of MCP servers', () => {
  it('names programs and addresses, with variables substituted', () => {
    const { problems, secrets, servers, warnings } = read(
      {
        github: {
          command: '\x24{RUNNER:-npx}',
          args: ['-y', 'server', '--key=\x24{KEY}'],
          env: { TOKEN: '\x24{TOKEN}', MODE: 'plain-mode' },
          cwd: '/srv',
        },
        tickets: {
          type: 'streamable-http',
          url: 'https://\x24{HOST:-localhost}/mcp',
          headers: { Authorization: 'Bearer \x24{TOKEN}' },
          autoApprove: ['everything'],
        },
        old: { type: 'sse', url: 'http://localhost/sse' },
        off: { command: '', disabled: true },
      },
      { KEY: 'key-in-args', TOKEN: 'token-of-env' },
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(servers, [
      {
        name: 'github',
        reach: {
          kind: 'stdio',
          command: 'npx',
          args: ['-y', 'server', '--key=key-in-args'],
          env: { TOKEN: 'token-of-env', MODE: 'plain-mode' },
          cwd: '/srv',
        },
      },
      {
        name: 'tickets',
        reach: {
          kind: 'http',
          url: 'https://localhost/mcp',
          headers: { Authorization: 'Bearer token-of-env' },
        },
      },
      { name: 'old', reach: { kind: 'sse', url: 'http://localhost/sse', headers: {} } },
    ]);
    for (const secret of ['key-in-args', 'token-of-env', 'plain-mode', 'Bearer token-of-env']) {
      assert(secrets.includes(secret), secret);
    }
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /“tickets”: “autoApprove” has no effect here/);
  });

  const WRONG: readonly (readonly [what: string, file: unknown, problem: RegExp])[] = [
    [
      'no JSON',
      '{"mcpServers": {"a": sk-secret-of-mine',
      /is not valid JSON \(line 1, column 22\)/,
    ],
    ['another file', '{"servers": {}}', /has no servers/],
    ['a list', '[]', /has no servers/],
    [
      'neither program nor address',
      { a: {} },
      /“a” can't be used: it needs a “command” \(the program to start\)/,
    ],
    ['no object', { a: 'npx sk-secret-of-mine' }, /“a” can't be used/],
    [
      'args that are a string',
      { a: { command: 'x', args: 'y' } },
      /“args” must be a list of strings/,
    ],
    [
      'a number in env',
      { a: { command: 'x', env: { A: 1 } } },
      /“env” maps names of variables to strings/,
    ],
    ['another type', { a: { url: 'http://x', type: 'ws' } }, /“type” is http or sse/],
    [
      'a program over http',
      { a: { command: 'x', type: 'http' } },
      /“type” is stdio for a “command”/,
    ],
    ['no address', { a: { url: 'ftp://sk-secret-of-mine' } }, /not an http\(s\) address/],
    [
      'a missing variable',
      { a: { command: 'x', env: { A: '\x24{NO_SUCH}' } } },
      /needs the variable NO_SUCH/,
    ],
    [
      'a password in an address, which every failure would show',
      { a: { url: 'http://me:sk-secret-of-mine@x/mcp' } },
      /“url” with a user name or password.*“headers”/,
    ],
    [
      'a header of two lines',
      { a: { url: 'http://x', headers: { A: 'b\nsk-secret-of-mine' } } },
      /header “A” that HTTP can't carry/,
    ],
    ['a name without a letter or digit', { '!!': { command: 'x' } }, /name without letters/],
    [
      'two names that become one',
      { 'a b': { command: 'x' }, a_b: { command: 'y' } },
      /“a b” and “a_b” would both begin with a_b__/,
    ],
  ];
  for (const [what, file, problem] of WRONG) {
    it(`with ${what} is refused with the reason, and without secrets`, () => {
      const { problems, servers } = read(file);
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', problem);
      assert.doesNotMatch(problems.join(), /sk-secret-of-mine/);
      assert(servers.length < 3);
    });
  }
});
