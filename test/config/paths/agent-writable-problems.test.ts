/** The agent's tools can't write files that run outside the sandbox, or that configure what does. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { agentWritableFileProblems } from '../../../src/config/paths/agent-writable-problems.ts';
import { folderProblems } from '../../../src/config/paths/folder-problems.ts';

const APP = join(import.meta.dirname, '../../..');

function aFolder(t: TestContext) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'steering-')));
  t.after(() => rmSync(folder, { recursive: true }));
  const at = (...names: readonly string[]) => join(folder, ...names);
  for (const path of ['workspace/code', 'outside', 'elsewhere']) {
    mkdirSync(at(path), { recursive: true });
  }
  for (const place of ['workspace', 'outside']) {
    for (const name of ['run.js', 'run', 'data.csv', 'graph.ts', 'policy.yaml', 'mcp.json']) {
      writeFileSync(at(place, name), name === 'mcp.json' ? '{"mcpServers":{}}' : '');
    }
    chmodSync(at(place, 'run'), 0o755);
  }
  symlinkSync(at('workspace'), at('linked'));
  symlinkSync(at('workspace/run.js'), at('to-inside.js'));
  symlinkSync(at('outside/run.js'), at('workspace/to-outside.js'));
  linkSync(at('workspace/run.js'), at('hard.js'));
  const problemsOf = (env: Readonly<Record<string, string>>) => {
    try {
      readConfig({ WORKSPACE_DIR: at('workspace'), DATA_DIR: at('data'), ...env });
      return '';
    } catch (error) {
      assert(error instanceof ConfigError, String(error));
      return error.problems.join('\n').replaceAll(`${folder}/`, '');
    }
  };
  return { at, problemsOf };
}

const INSIDE = /is inside WORKSPACE_DIR, so the agent’s tools could rewrite .*\. Put it outside\.$/;

describe('a start with a workspace', () => {
  it('with a file that controls the app is refused, also through links', (t) => {
    const { at, problemsOf } = aFolder(t);
    const places = ['workspace/run.js', 'to-inside.js', 'workspace/to-outside.js'];
    for (const place of [...places, 'linked/run.js', 'linked/later.js', 'workspace/later.js']) {
      assert.match(problemsOf({ TOOLS_MODULE: at(place) }), /^TOOLS_MODULE .*WORKSPACE_DIR/, place);
      assert.match(
        agentWritableFileProblems('GRAPH', at(place), at('workspace')).join(),
        INSIDE,
        place,
      );
    }
    for (const env of [
      { GRAPH: `${at('workspace/graph.ts')}:graph` },
      { POLICY_FILE: at('linked/policy.yaml') },
      { MCP_CONFIG: at('workspace/mcp.json') },
      { REDIS_URL: `unix://${at('workspace/redis.sock')}` },
      { TOOLS_MODULE: relative('.', at('linked/run.js')) },
    ]) {
      assert.match(problemsOf(env), INSIDE, JSON.stringify(env));
    }
    for (const env of [
      { TOOLS_MODULE: at('outside/run.js') },
      { GRAPH: `${at('outside/graph.ts')}:graph` },
      { POLICY_FILE: at('outside/policy.yaml') },
      { MCP_CONFIG: at('outside/mcp.json') },
      { REDIS_URL: `unix://${at('outside/redis.sock')}` },
      // With a graph it is not loaded.
      { TOOLS_MODULE: at('workspace/run.js'), GRAPH: `${at('outside/graph.ts')}:graph` },
    ]) {
      assert.equal(problemsOf(env), '', JSON.stringify(env));
    }
  });

  it('with a hard link to such a file is refused', (t) => {
    const { at, problemsOf } = aFolder(t);
    assert.match(
      problemsOf({ TOOLS_MODULE: at('hard.js') }),
      /^TOOLS_MODULE hard\.js is the same file as workspace\/run\.js inside WORKSPACE_DIR \(a hard link\).*Put a copy/,
    );
    linkSync(at('outside/run.js'), at('elsewhere/run.js'));
    assert.equal(problemsOf({ TOOLS_MODULE: at('outside/run.js') }), '');
  });

  it('is refused for such a file at a second mount point', (t) => {
    const { at, problemsOf } = aFolder(t);
    const { status } = spawnSync('mount', ['--bind', at('workspace'), at('elsewhere')]);
    if (status !== 0) {
      t.skip('Nothing can be mounted here.');
      return;
    }
    const found = problemsOf({ TOOLS_MODULE: at('elsewhere/code/tools.ts') });
    spawnSync('umount', [at('elsewhere')]);
    assert.match(found, INSIDE);
  });

  it('with the working directory or its .env is refused, even if the file does not exist', (t) => {
    const { at } = aFolder(t);
    const before = process.cwd();
    t.after(() => process.chdir(before));
    const problems = () => {
      try {
        readConfig({ WORKSPACE_DIR: at('workspace'), DATA_DIR: at('data') });
        return '';
      } catch (error) {
        return String(error);
      }
    };
    for (const place of ['workspace', 'workspace/code', 'linked/code']) {
      process.chdir(at(place));
      assert.match(problems(), /WORKSPACE_DIR contains the folder in which the app starts/, place);
    }
    process.chdir(at('outside'));
    assert.equal(problems(), '');
    symlinkSync(at('workspace/.env'), at('outside/.env'));
    assert.match(problems(), /\.env \.\/\.env is inside WORKSPACE_DIR/);
  });

  it('inside the app, or the packages around it, is refused', (t) => {
    const { at } = aFolder(t);
    const parts = ['src', 'src/desk', 'bin', 'dist/app', 'node_modules', 'node_modules/zod'];
    const around = [join(dirname(APP), 'node_modules'), join(dirname(APP), 'node_modules/x')];
    for (const workspace of [...parts.map((part) => join(APP, part)), ...around]) {
      const problems = folderProblems(at('data'), workspace);
      assert.match(problems.join(), /^WORKSPACE_DIR contains the app, or is inside it/, workspace);
    }
  });

  it('is refused if a variable makes programs load files from it', (t) => {
    const { at, problemsOf } = aFolder(t);
    const inside = at('linked/code');
    const variables = {
      PATH: `/usr/bin:${inside}`,
      HOME: inside,
      NODE_PATH: inside,
      NODE_OPTIONS: `--max-old-space-size=100 --import file://${inside}/x.mjs`,
      LD_PRELOAD: `${inside}/x.so`,
      NODE_EXTRA_CA_CERTS: `${inside}/ca.pem`,
    };
    for (const [name, value] of Object.entries(variables)) {
      assert.match(problemsOf({ [name]: value }), new RegExp(`^${name} leads into WORKSPACE_DIR`));
      assert.equal(problemsOf({ [name]: value.replace(inside, at('outside')) }), '');
    }
  });
});

describe('an MCP server', () => {
  const W = '/WORKSPACE';
  type Entry = {
    readonly command: string;
    readonly args?: readonly string[];
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
  };
  const REFUSED: readonly (readonly [what: string, entry: Entry])[] = [
    ['its program', { command: `${W}/run` }],
    ['its program, later', { command: `${W}/not-yet` }],
    ['its folder', { command: 'npx', args: ['x'], cwd: W }],
    ['its script', { command: 'node', args: ['--enable-source-maps', `${W}/run.js`] }],
    ['its script, later', { command: 'python3.12', args: [`${W}/server.py`] }],
    ['its script without an ending', { command: 'bash', args: [`${W}/run`] }],
    ['its script by its folder', { command: 'node', args: ['run.js'], cwd: `${W}/code` }],
    ['a folder that is run', { command: 'node', args: [`${W}/code`] }],
    ['a project', { command: 'uv', args: ['--directory', `${W}/code`, 'run', 'x'] }],
    ['a prefix', { command: 'npx', args: [`--prefix=${W}/code`, 'x'] }],
    ['a module to load', { command: 'node', args: ['-r', `${W}/run.js`, '/usr/x.js'] }],
    ['a program among others', { command: 'timeout', args: ['60', `${W}/run`] }],
    ['a line of a shell', { command: 'sh', args: ['-c', `cd ${W}/code && npm start`] }],
    ['a settings file', { command: 'x', args: [`--config=${W}/settings.json`] }],
    ['a path of modules', { command: 'x', env: { PYTHONPATH: `/usr/lib:${W}/code` } }],
    ['options of Node', { command: 'x', env: { NODE_OPTIONS: `--require ${W}/run.js` } }],
  ];
  const ALLOWED: readonly (readonly [what: string, entry: Entry])[] = [
    ['its folder of files', { command: 'npx', args: ['-y', 'files-server', W] }],
    ['a document', { command: 'npx', args: ['-y', 'csv-server', `${W}/data.csv`] }],
    ['a mount', { command: 'docker', args: ['run', '-v', `${W}:/data`, 'image'] }],
    ['a variable of its own', { command: 'x', env: { ROOT: W } }],
  ];

  function problemsWith(t: TestContext, entry: Entry): string {
    const { at, problemsOf } = aFolder(t);
    const text = JSON.stringify({ mcpServers: { a: entry } }).replaceAll(W, at('linked'));
    writeFileSync(at('outside/mcp.json'), text);
    return problemsOf({ MCP_CONFIG: at('outside/mcp.json') });
  }

  for (const [what, entry] of REFUSED) {
    it(`that has ${what} in the workspace is refused`, (t) => {
      assert.match(
        problemsWith(t, entry),
        /^MCP_CONFIG: the server “a” has .* inside WORKSPACE_DIR/,
      );
    });
  }
  for (const [what, entry] of ALLOWED) {
    it(`that works on ${what} in the workspace is accepted`, (t) => {
      assert.equal(problemsWith(t, entry), '');
    });
  }
});
