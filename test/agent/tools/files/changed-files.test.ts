/** Only the file version that people saw is changed: nothing else is ever replaced or deleted. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createToolbox } from '../../../../src/agent/tools/create-toolbox.ts';
import type { PathEntry } from '../../../../src/agent/tools/files/inspect-path.ts';
import { createWorkspace } from '../../../../src/agent/tools/files/workspace.ts';
import { REQUESTER, THREAD } from '../../../support/builders/a-call.ts';

function makeRoot(t: { after(end: () => void): void }) {
  const root = mkdtempSync(join(tmpdir(), 'seen-'));
  t.after(() => rmSync(root, { recursive: true }));
  return root;
}

/** The tools on one file, whose preview people see and approve. */
function createFile(t: TestContext) {
  const root = makeRoot(t);
  const at = join(root, 'a.txt');
  const { toolbox } = createToolbox({ workspaceDir: root });
  const toolOf = (name: string) => {
    const tool = toolbox.get(name);
    assert.ok(tool?.preview, name);
    return tool;
  };
  return {
    root,
    at,
    text: () => readFileSync(at, 'utf8'),
    /** Returns the run of the current preview. */
    async see(name: string, args: object) {
      const value = { path: 'a.txt', ...args };
      const basis = (await toolOf(name).preview?.(value))?.basis;
      assert.ok(basis);
      const signal = new AbortController().signal;
      const call = {
        callId: 'call_k',
        idempotencyKey: 'k',
        requester: REQUESTER,
        thread: THREAD,
        report: () => {},
      };
      return () => toolOf(name).run(value, { ...call, signal, basis });
    },
  };
}

const CHANGED = /a\.txt has changed since the card showed/;

const KB = 1024;
/** In whole seconds, so that it can be set back exactly. */
const LONG_AGO = 1_700_000_000;

/** Writes beyond the part that the preview shows, and restores the modification time. */
function changeUnseen(at: string, place: number) {
  const file = openSync(at, 'r+');
  writeSync(file, 'CHANGED', place);
  closeSync(file);
  utimesSync(at, LONG_AGO, LONG_AGO);
}

describe('a file that changed in a way that its card cannot show', () => {
  for (const [name, args] of [
    ['delete_file', {}],
    ['write_file', { content: 'new' }],
  ] as const) {
    it(`stops ${name}: a change after the first 256 KB, with the old modification time`, async (t) => {
      const { at, see, text } = createFile(t);
      writeFileSync(at, 'x'.repeat(300 * KB));
      utimesSync(at, LONG_AGO, LONG_AGO);
      const run = await see(name, args);
      changeUnseen(at, 290 * KB);
      await assert.rejects(run(), CHANGED);
      assert.ok(text().includes('CHANGED'));
    });

    it(`stops ${name}: a change in the middle of 2 GB, with little memory and time`, async (t) => {
      const { at, see } = createFile(t);
      const size = 2 * KB ** 3;
      const file = openSync(at, 'w');
      ftruncateSync(file, size);
      closeSync(file);
      utimesSync(at, LONG_AGO, LONG_AGO);
      const [memory, time] = [process.memoryUsage().rss, process.cpuUsage()];
      const run = await see(name, args);
      assert.ok(process.memoryUsage().rss - memory < 200 * KB ** 2);
      assert.ok(process.cpuUsage(time).user < 5_000_000);
      changeUnseen(at, KB ** 3);
      await assert.rejects(run(), CHANGED);
      assert.equal(statSync(at).size, size);
      await (await see(name, args))();
      assert.ok(name === 'delete_file' || readFileSync(at, 'utf8') === 'new');
    });
  }

  it('stops write_file for a new file: a longer file with the same start is kept', async (t) => {
    const { at, see, text } = createFile(t);
    const content = 'y'.repeat(256 * KB);
    const run = await see('write_file', { content });
    writeFileSync(at, `${content} and what somebody else wrote`);
    await assert.rejects(run(), CHANGED);
    assert.ok(text().endsWith('somebody else wrote'));
  });

  it('does not stop a write that has already happened, as after a crash', async (t) => {
    const { at, see, text } = createFile(t);
    const run = await see('write_file', { content: 'new' });
    writeFileSync(at, 'new');
    assert.equal(await run(), 'Wrote 3 bytes to a.txt.');
    assert.equal(text(), 'new');
  });
});

describe('between the last check of a file and its change', () => {
  /** What another process may do in that moment, and what must exist afterwards. */
  const RACES: readonly (readonly [what: string, race: (at: string) => void, left: string])[] = [
    ['it is written to', (at) => appendFileSync(at, 'more'), 'seenmore'],
    [
      'another file takes its place',
      (at) => {
        unlinkSync(at);
        writeFileSync(at, 'other');
      },
      'other',
    ],
  ];
  const CHANGES = ['write', 'delete'] as const;
  const change = (how: (typeof CHANGES)[number], root: string, seen: PathEntry) => {
    const workspace = createWorkspace(root);
    assert.ok(seen.kind === 'file');
    return how === 'write'
      ? workspace.write('a.txt', 'ours', seen)
      : workspace.delete('a.txt', seen);
  };

  for (const how of CHANGES) {
    for (const [what, race, left] of RACES) {
      it(`${what}: the ${how} rejects, and the file stays`, async (t) => {
        const root = makeRoot(t);
        const at = join(root, 'a.txt');
        writeFileSync(at, 'seen', { mode: 0o640 });
        const seen = await createWorkspace(root).look('a.txt');
        race(at);
        await assert.rejects(change(how, root, seen), CHANGED);
        assert.equal(readFileSync(at, 'utf8'), left);
        assert.deepEqual(readdirSync(root), ['a.txt']);
      });
    }

    it(`it becomes a link: the ${how} rejects, and the link target stays`, async (t) => {
      const root = makeRoot(t);
      const at = join(root, 'a.txt');
      writeFileSync(at, 'seen');
      const seen = await createWorkspace(root).look('a.txt');
      unlinkSync(at);
      writeFileSync(join(root, 'target'), 'seen');
      symlinkSync('target', at);
      await assert.rejects(change(how, root, seen), { name: 'WorkspaceError' });
      assert.equal(readFileSync(at, 'utf8'), 'seen');
      assert.deepEqual(readdirSync(root).sort(), ['a.txt', 'target']);
    });

    it(`it becomes a folder: the ${how} rejects, and the folder stays`, async (t) => {
      const root = makeRoot(t);
      const at = join(root, 'a.txt');
      writeFileSync(at, 'seen');
      const seen = await createWorkspace(root).look('a.txt');
      unlinkSync(at);
      mkdirSync(at);
      writeFileSync(join(at, 'inside'), '');
      await assert.rejects(change(how, root, seen), { name: 'WorkspaceError' });
      assert.deepEqual(readdirSync(at), ['inside']);
      assert.deepEqual(readdirSync(root), ['a.txt']);
    });

    it(`nothing happens: the ${how} does not affect other hard links of the file`, async (t) => {
      const root = makeRoot(t);
      const at = join(root, 'a.txt');
      writeFileSync(at, 'seen');
      linkSync(at, join(root, 'b.txt'));
      await change(how, root, await createWorkspace(root).look('a.txt'));
      assert.equal(readFileSync(join(root, 'b.txt'), 'utf8'), 'seen');
      assert.deepEqual(readdirSync(root), how === 'write' ? ['a.txt', 'b.txt'] : ['b.txt']);
    });
  }

  it('somebody creates the new file: it stays', async (t) => {
    const root = makeRoot(t);
    const workspace = createWorkspace(root);
    assert.deepEqual(await workspace.look('a.txt'), { kind: 'nothing' });
    writeFileSync(join(root, 'a.txt'), 'theirs');
    await assert.rejects(workspace.write('a.txt', 'ours', { kind: 'nothing' }), CHANGED);
    assert.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'theirs');
    assert.deepEqual(readdirSync(root), ['a.txt']);
  });

  it('an empty folder gets a file, or becomes a file: it stays', async (t) => {
    const root = makeRoot(t);
    const workspace = createWorkspace(root);
    const seen = { kind: 'folder', isEmpty: true } as const;
    mkdirSync(join(root, 'full'));
    writeFileSync(join(root, 'full', 'x'), '');
    writeFileSync(join(root, 'file'), 'x');
    await assert.rejects(workspace.delete('full', seen), /not empty/);
    await assert.rejects(workspace.delete('file', seen), { name: 'WorkspaceError' });
    assert.deepEqual(readdirSync(root).sort(), ['file', 'full']);
  });
});
