/** Threads of third-party graphs with lost checkpoints: they cannot be rebuilt, and nothing restarts by itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { buildGraphDesk, type GraphDesk } from './graph-desk.ts';

const LOST = /^I ended this turn because the stored state of my work was lost\./;

function change(desk: GraphDesk, ...statements: readonly string[]): void {
  for (const sql of statements) desk.store.saver.db.prepare(sql).run();
}

const LOSE = ['DELETE FROM checkpoints', 'DELETE FROM writes'];
const DAMAGE = [
  `UPDATE checkpoints SET checkpoint = replace(CAST(checkpoint AS TEXT), 'file-1', 'file-9')`,
];

function textOf(call: Call | undefined): string {
  const outcome = call?.outcome;
  return outcome && 'text' in outcome ? outcome.text : `no text: ${outcome?.kind}`;
}

describe('a thread of a third-party graph whose whole state is lost', () => {
  it('says so when its call is decided; nothing runs, and its model is not asked again', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware');
    await desk.send('delete 2');
    const asked = await desk.asked();
    change(desk, ...LOSE);
    await desk.approve(await desk.open('file-1'));
    await desk.rest();
    assert.match(desk.said().at(-1) ?? '', LOST);
    assert.deepEqual([await desk.asked(), await desk.ran()], [asked, []]);
    const [first, second] = await desk.calls();
    assert.deepEqual([first?.status, second?.status], ['failed', 'withdrawn']);
    assert.match(
      textOf(first),
      /^Handed to “their-middleware”, whose state is lost\. It may have run, partly or completely\.$/,
    );
    assert.deepEqual(await desk.store.inbox.threadsWithMessages(), []);
    const [turn] = await desk.store.history.newest(THREAD, 1, 0);
    assert.match(turn?.failure ?? '', LOST);
    await desk.send('hello');
    assert.match(desk.said().at(-1) ?? '', /^You said: hello/);
  });

  it('can be stopped like any other', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware');
    await desk.send('delete 1');
    change(desk, ...LOSE);
    await desk.send('stop');
    assert.deepEqual(
      (await desk.calls()).map(({ status }) => status),
      ['withdrawn'],
    );
    assert.deepEqual(await desk.ran(), []);
    assert.equal(
      desk.said().some((text) => LOST.test(text)),
      false,
    );
  });

  it('starts again if nothing was decided or asked in it', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware');
    await desk.send('hello');
    change(desk, ...LOSE);
    await desk.send('hello again');
    assert.match(desk.said().at(-1) ?? '', /^You said: hello again/);
  });
});

it('a damaged thread of a third-party graph ends its turn, and says for each message that it cannot continue', async (t) => {
  const desk = await buildGraphDesk(t, 'their-middleware');
  await desk.send('delete 1');
  const asked = await desk.asked();
  change(desk, ...DAMAGE);
  await desk.approve(await desk.open('file-1'));
  await desk.rest();
  assert.match(desk.said().at(-1) ?? '', LOST);
  await desk.send('and now?');
  assert.match(
    desk.said().at(-1) ?? '',
    /^The stored state of this thread for “their-middleware” can’t be read.* Start a new thread\.$/,
  );
  assert.deepEqual([await desk.asked(), await desk.ran()], [asked, []]);
  assert.deepEqual(await desk.store.inbox.threadsWithMessages(), []);
});
