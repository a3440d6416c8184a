/** Our own summaries for tools of coding agents, and none for calls that we do not fully understand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  describeAddress,
  describeCommand,
} from '../../../../src/agent/tools/command/describe-command.ts';
import { toExternalTool } from '../../../../src/agent/tools/external-tool.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';

const toolOf = (tool: string, by: 'key' | 'graph' = 'key') =>
  toExternalTool({ tool, outside: { by, name: 'laptop' } });

async function said(name: string, args: JsonValue, by?: 'graph') {
  const tool = toolOf(name, by);
  assert.ok(tool);
  return [tool.summary?.(args), (await tool.preview?.(args))?.text];
}

const PATCH = `*** Begin Patch
*** Add File: new.txt
+one
+*** Delete File: trap.txt
*** Update File: src/a.ts
*** Move to: src/b.ts
@@ class A
 keep
-old
+new
*** End of File
*** Delete File: gone.txt
*** End Patch
`;

describe('a call of a coding agent’s tool', () => {
  for (const [name, args, summary, preview] of [
    [
      'Bash',
      { command: 'npm run build', description: 'Harmless.', timeout: 5 },
      'Run: npm run build',
      '$ npm run build',
    ],
    [
      'Bash',
      { command: 'cd /x\n\nrm -rf y\r# z' },
      'Run 3 lines: cd /x',
      '$ cd /x\n\nrm -rf y\r# z',
    ],
    [
      'Bash',
      { command: 'ls', dangerouslyDisableSandbox: true },
      'Without sandbox: Run: ls',
      'Without sandbox:\n$ ls',
    ],
    ['run_shell_command', { command: 'ls', directory: 'a' }, 'Run: ls', '$ ls'],
    ['shell', { command: ['bash', '-lc', 'ls | wc'], workdir: '/' }, 'Run: ls | wc', '$ ls | wc'],
    [
      'shell',
      { command: ['rm', "it's; ls", '-f'] },
      `Run: rm 'it'\\''s; ls' -f`,
      `$ rm 'it'\\''s; ls' -f`,
    ],
    ['exec_command', { cmd: 'ls', login: true }, 'Run: ls', '$ ls'],
    [
      'Write',
      { file_path: 'a.txt', content: 'one\ntwo\n' },
      'Write a.txt',
      'Writes a.txt (2 lines, 8 bytes), replacing its current content.',
    ],
    [
      'Edit',
      { file_path: 'src/a.ts', old_string: 'let a;\nkeep', new_string: 'const a = 1;\nkeep' },
      'Edit src/a.ts',
      '--- src/a.ts\n+++ src/a.ts\n@@\n-let a;\n+const a = 1;\n keep',
    ],
    [
      'edit',
      { filePath: 'a', oldString: '@@ -1 +1 @@', newString: '', replaceAll: true },
      'Edit a',
      '--- a\n+++ a\n@@ all occurrences @@\n-@@ -1 +1 @@',
    ],
    [
      'MultiEdit',
      {
        file_path: 'a',
        edits: [
          { old_string: 'x', new_string: 'y' },
          { old_string: 'z', new_string: 'z' },
        ],
      },
      'Edit a in 2 places',
      '--- a\n+++ a\n@@\n-x\n+y\n@@\n (no change)',
    ],
    [
      'NotebookEdit',
      { notebook_path: 'n.ipynb', new_source: 'x', edit_mode: 'insert' },
      'Add a cell to n.ipynb',
      'x',
    ],
    [
      'apply_patch',
      { command: PATCH },
      'Change 3 files: write new.txt, edit src/a.ts and move it to src/b.ts, delete gone.txt',
      PATCH,
    ],
    ['Read', { file_path: 'a\nb' }, 'Read a\\nb', undefined],
    ['Glob', { pattern: '**/*.ts', path: 'src' }, 'Find files **/*.ts in src', undefined],
    ['Grep', { pattern: 'TODO', '-n': true }, 'Search files for TODO', undefined],
    [
      'WebFetch',
      { url: 'https://example.com/pricing', prompt: 'p' },
      'Fetch example.com/pricing',
      'GET https://example.com/pricing',
    ],
    ['WebSearch', { query: 'say "x"' }, 'Search the web: say "x"', undefined],
  ] as const) {
    it(`has our summary: ${summary}`, async () => {
      assert.deepEqual(await said(name, args as unknown as JsonValue), [summary, preview]);
    });
  }

  for (const [why, name, args] of [
    ['an unknown argument', 'Bash', { command: 'ls', env: { PATH: '/evil' } }],
    ['an argument of the wrong type', 'Bash', { command: ['ls'] }],
    ['no command', 'Bash', { command: ' ' }],
    ['two commands', 'exec_command', { cmd: 'ls', command: 'rm' }],
    ['arguments that are not an object', 'Bash', 'ls'],
    ['another name', 'bash ', { command: 'ls' }],
    ['a name from the prototype', 'constructor', {}],
    ['an invalid address', 'WebFetch', { url: 'example.com' }],
    ['an address with a user name', 'WebFetch', { url: 'https://example.com@evil.example/' }],
    ['another scheme', 'WebFetch', { url: 'file:///etc/passwd' }],
    ['a patch without an end', 'apply_patch', { command: '*** Begin Patch\n*** Delete File: a' }],
    ...[' *** Delete File: b', '*** Delete File: ', '*** Rename File: b', 'loose', '\t+x'].map(
      (line) =>
        [
          `a patch with the line “${line}”`,
          'apply_patch',
          { command: `*** Begin Patch\n*** Update File: a\n${line}\n*** End Patch` },
        ] as const,
    ),
    [
      'a patch that adds lines without a mark',
      'apply_patch',
      { command: '*** Begin Patch\n*** Add File: a\n x\n*** End Patch' },
    ],
  ] as const) {
    it(`has no summary of ours with ${why}`, async () => {
      assert.deepEqual(await said(name, args as unknown as JsonValue), [undefined, undefined]);
    });
  }

  it('has no summary of ours if a graph makes it', async () => {
    assert.deepEqual(await said('Bash', { command: 'ls' }, 'graph'), [undefined, undefined]);
  });
});

describe('the text about arguments', () => {
  it('says that a command has more lines', () => {
    assert.equal(describeCommand('ls'), 'Run: ls');
    assert.equal(describeCommand('\n\nls\n'), 'Run: ls');
    assert.equal(describeCommand('# fine\nrm -rf /'), 'Run 2 lines: # fine');
  });

  it('shortens addresses without hiding the host', () => {
    const short = (text: string) => describeAddress(new URL(text));
    assert.equal(short('https://example.com/'), 'example.com');
    assert.equal(short('http://example.com:8080/a?b=c#d'), 'http://example.com:8080/a?b=c');
    assert.equal(short('https://exämple.com/'), 'xn--exmple-cua.com');
  });
});
