/** Calls that change one file at the same time. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createToolbox } from '../../../../src/agent/tools/create-toolbox.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { NO_SIGNAL, THREAD } from '../../agent-fixture.ts';

const TEXT = 'one\ntwo\nthree\n';
const EDITS = ['one', 'two', 'three'].map((oldText) => ({
  path: 'a.txt',
  oldText,
  newText: oldText.toUpperCase(),
}));

/** A workspace with one file, and its tools. */
function createFiles(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'workspace-'));
  t.after(() => rmSync(root, { recursive: true }));
  const at = join(root, 'a.txt');
  writeFileSync(at, TEXT);
  const { toolbox } = createToolbox({ workspaceDir: root });
  const toolOf = (name: string) => {
    const tool = toolbox.get(name);
    assert.ok(tool, name);
    return tool;
  };
  return {
    get: () => readFileSync(at, 'utf8'),
    basis: async (name: string, args: JsonValue) => (await toolOf(name).preview?.(args))?.basis,
    run: (name: string, args: JsonValue, basis?: string) =>
      toolOf(name).run(args, {
        signal: NO_SIGNAL,
        callId: 'call_k',
        idempotencyKey: 'k',
        report: () => {},
        requester: { team: 'T1', user: 'U1' },
        thread: THREAD,
        ...(basis !== undefined && { basis }),
      }),
  };
}

test('concurrent edits without cards all succeed', async (t) => {
  const { run, get } = createFiles(t);
  await Promise.all(EDITS.map((edit) => run('edit_file', edit)));
  assert.equal(get(), TEXT.toUpperCase());
});

test('of several edits on cards one succeeds, and the others report that the file has changed', async (t) => {
  const { run, basis, get } = createFiles(t);
  const seen = await Promise.all(EDITS.map((edit) => basis('edit_file', edit)));
  const ends = await Promise.allSettled(EDITS.map((edit, i) => run('edit_file', edit, seen[i])));
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  assert.equal(refused.length, 2);
  for (const why of refused) assert.match(why, /has changed since the card showed/);
  assert.equal(get(), 'ONE\ntwo\nthree\n');
});

test('a file that is being written is not deleted based on its old content', async (t) => {
  const { run, basis, get } = createFiles(t);
  const seen = await basis('delete_file', { path: 'a.txt' });
  const written = run('write_file', { path: 'a.txt', content: 'new' });
  await assert.rejects(run('delete_file', { path: 'a.txt' }, seen), /has changed since/);
  await written;
  assert.equal(get(), 'new');
});
