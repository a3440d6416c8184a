import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createToolbox } from '../../../src/agent/tools/create-toolbox.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import {
  APPROVER,
  REQUESTER,
  SECOND_APPROVER,
  THREAD,
  TWO_APPROVERS,
} from '../../support/builders/a-call.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const EDIT = { path: 'a.txt', oldText: 'two', newText: 'three' };

async function deskWith(t: TestContext, name: string, args: object, gate?: Gate) {
  const folder = await makeTempDir();
  t.after(() => folder.remove());
  const file = join(folder.path, 'a.txt');
  await writeFile(file, 'one\ntwo\n');
  const { toolbox } = createToolbox({ workspaceDir: folder.path });
  const desk = await buildDesk(t, { tools: [], made: toolbox.list(), ...(gate && { gate }) });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name, args: JSON.stringify(args) }]) : sayText('Done.'),
  );
  await desk.send('change it');
  return { desk, file, read: () => readFile(file, 'utf8') };
}

async function onlyCall(desk: TestDesk): Promise<Call> {
  const [call] = await desk.calls();
  assert.ok(call);
  return call;
}

describe('a file that changed after its card was shown', () => {
  for (const [name, args, after] of [
    ['edit_file', EDIT, 'zero\none\nthree\n'],
    ['write_file', { path: 'a.txt', content: 'new\n' }, 'new\n'],
    ['delete_file', { path: 'a.txt' }, undefined],
  ] as const) {
    it(`stops ${name}: the card says so and shows the current file`, async (t) => {
      const { desk, file, read } = await deskWith(t, name, args);
      const shown = await onlyCall(desk);
      await writeFile(file, 'zero\none\ntwo\n');
      await desk.decide(shown, REQUESTER);
      const again = await onlyCall(desk);
      assert.equal(again.status, 'pending');
      assert.equal(await read(), 'zero\none\ntwo\n');
      assert.match(
        plainSentence(again.note ?? ''),
        /has changed since it was shown\. Nothing was run/,
      );
      assert.deepEqual(again.votes, []);
      assert.match(again.preview ?? '', /zero/);
      assert.equal(desk.chat.cards.get(shown.id)?.note, again.note);

      const stale = await desk.desk.decide({
        callId: shown.id,
        attempt: shown.attempt,
        digest: shortDigest(shown.digest),
        by: REQUESTER,
        decision: { kind: 'approve' },
      });
      assert.equal(stale.kind, 'stale', 'the old card’s button is dead');
      await desk.decide(again, REQUESTER);
      assert.equal((await onlyCall(desk)).status, 'succeeded');
      const now = await read().catch(() => undefined);
      assert.equal(now, after);
    });
  }

  it('is also detected between the last check and the write', async (t) => {
    const folder = await makeTempDir();
    t.after(() => folder.remove());
    const file = join(folder.path, 'a.txt');
    await writeFile(file, 'one\ntwo\n');
    const { toolbox } = createToolbox({ workspaceDir: folder.path });
    const tool = toolbox.get('edit_file');
    const preview = await tool?.preview?.(EDIT);
    assert.ok(tool && preview?.basis);
    const context = {
      signal: new AbortController().signal,
      callId: 'call_k',
      idempotencyKey: 'k',
      report: () => {},
      requester: REQUESTER,
      thread: THREAD,
      basis: preview.basis,
    };
    await writeFile(file, 'zero\none\ntwo\n');
    await assert.rejects(tool.run(EDIT, context), /has changed since the card showed/);
    await writeFile(file, 'one\ntwo\n');
    await tool.run(EDIT, context);
    assert.equal(await readFile(file, 'utf8'), 'one\nthree\n');
  });

  it('is asked about again if the edit could not work when it was shown and now can', async (t) => {
    const { desk, file, read } = await deskWith(t, 'edit_file', { ...EDIT, oldText: 'four' });
    const call = await onlyCall(desk);
    assert.match(call.preview ?? '', /would fail/);
    await writeFile(file, 'four\n');
    await desk.decide(call, REQUESTER);
    assert.equal((await onlyCall(desk)).status, 'pending');
    assert.equal(await read(), 'four\n');
  });
});

describe('a changed file, before the call runs', () => {
  it('gets a new preview at the next redraw, and earlier approvals no longer count', async (t) => {
    const { desk, file, read } = await deskWith(t, 'edit_file', EDIT, askAll(TWO_APPROVERS));
    const shown = await onlyCall(desk);
    await writeFile(file, 'zero\none\ntwo\n');
    assert.equal((await desk.decide(shown, APPROVER)).kind, 'recorded');
    const card = desk.chat.cards.get(shown.id);
    assert.match(plainSentence(card?.note ?? ''), /has changed since it was shown/);
    assert.match(card?.preview ?? '', /zero/);
    assert.deepEqual([card?.status, card?.votes], ['pending', []]);
    assert.equal((await desk.decide(shown, SECOND_APPROVER)).kind, 'stale');
    const again = await onlyCall(desk);
    await desk.decide(again, APPROVER);
    await desk.decide(await onlyCall(desk), SECOND_APPROVER);
    assert.equal(await read(), 'zero\none\nthree\n');
  });

  it('is shown as it is now in the full view, and the card follows', async (t) => {
    const { desk, file } = await deskWith(t, 'edit_file', EDIT);
    const shown = await onlyCall(desk);
    const check = (call: Call, kind: 'approve' | 'edit') => {
      const { id: callId, attempt } = call;
      const digest = shortDigest(call.digest);
      return desk.desk.checkDecision({
        callId,
        attempt,
        digest,
        by: REQUESTER,
        kind,
        renews: true,
      });
    };
    const same = await check(shown, 'approve');
    assert.ok(same.kind === 'open' && same.call.digest === shown.digest);
    await writeFile(file, 'zero\none\ntwo\n');
    const opened = await check(shown, 'edit');
    assert.ok(opened.kind === 'open');
    assert.match(plainSentence(opened.call.note ?? ''), /has changed since it was shown/);
    assert.match(opened.call.preview ?? '', /zero/);
    await desk.worker.idle();
    assert.equal(desk.chat.cards.get(shown.id)?.digest, opened.call.digest);
    assert.equal((await check(shown, 'approve')).kind, 'stale');
    const entries = await desk.store.audit.read(1, 1_000);
    assert.ok(entries.some(({ event }) => event === 'call.recheck'));
  });

  it('gets a new preview at most twice a minute if it keeps growing', async (t) => {
    const { desk, file } = await deskWith(t, 'edit_file', EDIT);
    const draws = async () => {
      const { id: callId, attempt, digest: whole } = await onlyCall(desk);
      const check = { callId, attempt, digest: shortDigest(whole), by: REQUESTER } as const;
      await writeFile(file, `${await readFile(file, 'utf8')}more\n`);
      await desk.desk.checkDecision({ ...check, kind: 'approve', renews: true });
      await desk.worker.idle();
      return (await onlyCall(desk)).revision;
    };
    const first = await draws();
    assert.equal(await draws(), first);
    await desk.clock.advance(30_000);
    assert.equal(await draws(), first + 1);
  });
});

describe('a call whose preview failed', () => {
  async function deskWithout(t: TestContext, previews: readonly 'breaks'[]) {
    const folder = await makeTempDir();
    t.after(() => folder.remove());
    const file = join(folder.path, 'a.txt');
    await writeFile(file, 'one\ntwo\n');
    const tool = createToolbox({ workspaceDir: folder.path }).toolbox.get('delete_file');
    assert.ok(tool);
    const left = [...previews];
    const preview: Tool['preview'] = (args) => {
      if (left.shift() !== undefined) throw new Error('It broke.');
      return tool.preview?.(args) ?? Promise.resolve({ text: '' });
    };
    const desk = await buildDesk(t, { tools: [], made: [{ ...tool, preview }] });
    desk.model.script((_request, index) =>
      index === 0
        ? sayCalls([{ name: 'delete_file', args: '{"path":"a.txt"}' }])
        : sayText('Done.'),
    );
    return { desk, read: () => readFile(file, 'utf8') };
  }

  it('shows the preview once it can be made', async (t) => {
    const { desk, read } = await deskWithout(t, ['breaks']);
    await desk.send('delete it');
    await desk.worker.idle();
    const shown = await onlyCall(desk);
    assert.equal(shown.status, 'pending');
    assert.match(shown.preview ?? '', /^Permanently deletes a\.txt: 8 bytes/);
    assert.equal(desk.chat.cards.get(shown.id)?.preview, shown.preview);
    assert.equal(await read(), 'one\ntwo\n');
    await desk.decide(shown, REQUESTER);
    assert.equal((await onlyCall(desk)).status, 'succeeded');
  });

  it('does not run without a preview if the tool binds its runs to it', async (t) => {
    const { desk, read } = await deskWithout(t, ['breaks', 'breaks', 'breaks', 'breaks']);
    await desk.send('delete it');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.equal(await read(), 'one\ntwo\n');
  });

  it('runs without a preview if the tool never binds its runs', async (t) => {
    let runs = 0;
    const schema = { type: 'object', properties: {} };
    const bare = createToolbox({ workspaceDir: tmpdir() }).toolbox.get('list_files');
    assert.ok(bare);
    const made = { ...bare, schema, preview: () => Promise.reject(new Error('It broke.')) };
    const run = async () => `run ${++runs}`;
    const desk = await buildDesk(t, { tools: [], made: [{ ...made, run }], gate: askAll() });
    desk.model.script((_request, index) =>
      index === 0 ? sayCalls([{ name: 'list_files', args: '{}' }]) : sayText('Done.'),
    );
    await desk.send('list');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal((await onlyCall(desk)).status, 'succeeded');
    assert.equal(runs, 1);
  });
});

describe('a call that is asked for again', () => {
  it('says on its card that the same call was edited a moment ago', async (t) => {
    const { desk } = await deskWith(t, 'write_file', { path: 'a.txt', content: 'old' });
    const [first] = await desk.calls();
    assert.ok(first);
    assert.equal(first.earlier, undefined);
    let asks = 0;
    desk.model.script(() => {
      asks += 1;
      return asks === 1
        ? sayCalls([{ name: 'write_file', args: '{"path":"a.txt","content":"old"}', id: 'again' }])
        : sayText('Done.');
    });
    const args = { path: 'a.txt', content: 'mine' };
    await desk.decide(first, REQUESTER, { kind: 'edit', args });
    const second = (await desk.calls()).find(({ status }) => status === 'pending');
    assert.equal(second?.earlier?.likeness, 'same');
    assert.equal(second?.earlier?.how, 'edit');
    assert.deepEqual(second?.earlier?.by, REQUESTER);
  });
});
