import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { agentWritableFileProblems } from '../../../src/config/paths/agent-writable-problems.ts';
import { folderProblems } from '../../../src/config/paths/folder-problems.ts';

function aFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'config-')));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'workspace'));
  return folder;
}

test('a data folder that is inside the workspace through a link is refused', (t) => {
  const folder = aFolder(t);
  mkdirSync(join(folder, 'workspace/real'));
  symlinkSync(join(folder, 'workspace/real'), join(folder, 'data'));
  const problems = folderProblems(join(folder, 'data'), join(folder, 'workspace'));
  assert.match(problems.join(), /^DATA_DIR is inside WORKSPACE_DIR/);
});

test('a missing data folder under a linked parent or behind a dangling link is refused', (t) => {
  const folder = aFolder(t);
  symlinkSync('workspace', join(folder, 'linked'));
  symlinkSync('workspace/later', join(folder, 'dangling'));
  for (const path of ['linked/a/b', 'dangling']) {
    const problems = folderProblems(join(folder, path), join(folder, 'workspace'));
    assert.match(problems.join(), /^DATA_DIR is inside WORKSPACE_DIR/, path);
  }
});

test('a data folder that is a link in the workspace is refused, wherever it leads; circular links cause no crash', (t) => {
  const folder = aFolder(t);
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'workspace/data'));
  symlinkSync('b', join(folder, 'a'));
  symlinkSync('a', join(folder, 'b'));
  const linked = folderProblems(join(folder, 'workspace/data'), join(folder, 'workspace'));
  assert.match(linked.join(), /^DATA_DIR is inside WORKSPACE_DIR/);
  for (const path of ['a', 'workspace-data', '..data']) {
    const problems = folderProblems(join(folder, path), join(folder, 'workspace'));
    assert.deepEqual(problems, [], path);
  }
});

test('a workspace that contains the app itself is refused', (t) => {
  const folder = aFolder(t);
  const app = join(import.meta.dirname, '../../..');
  for (const workspace of [app, join(app, '..'), '/']) {
    const problems = folderProblems(join(folder, 'data'), workspace);
    assert.match(
      problems.join(),
      /^(WORKSPACE_DIR contains the app|DATA_DIR is inside)/,
      workspace,
    );
  }
  assert.deepEqual(folderProblems(join(folder, 'data'), join(app, 'workspace')), []);
});

test('a policy file that the agent could rewrite is refused, also through links', (t) => {
  const folder = aFolder(t);
  const workspace = join(folder, 'workspace');
  const outside = join(folder, 'policy.yaml');
  writeFileSync(join(workspace, 'policy.yaml'), '');
  writeFileSync(outside, '');
  symlinkSync(join(workspace, 'policy.yaml'), join(folder, 'to-inside.yaml'));
  symlinkSync(outside, join(workspace, 'to-outside.yaml'));
  symlinkSync('workspace', join(folder, 'linked'));
  const places = ['workspace/policy.yaml', 'to-inside.yaml', 'workspace/to-outside.yaml'];
  for (const path of [...places, 'linked/policy.yaml', 'workspace/later.yaml']) {
    const problems = agentWritableFileProblems('POLICY_FILE', join(folder, path), workspace);
    assert.match(problems.join(), /^POLICY_FILE .* is inside WORKSPACE_DIR.*Put it outside/, path);
  }
  assert.deepEqual(agentWritableFileProblems('POLICY_FILE', outside, workspace), []);
});
