/** Threads of graphs that others made, whose checkpoints are lost: they can't be rebuilt, and nothing begins anew by itself. */
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

describe('a thread of another graph, all of it lost', () => {
  it('is told so when its call is decided; nothing runs, and its model is not asked again', async (t) => {
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

  it('is stopped as any other', async (t) => {
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

  it('begins anew where nothing was decided or asked in it', async (t) => {
    const desk = await buildGraphDesk(t, 'their-middleware');
    await desk.send('hello');
    change(desk, ...LOSE);
    await desk.send('hello again');
    assert.match(desk.said().at(-1) ?? '', /^You said: hello again/);
  });
});

it('a thread of another graph that is damaged ends its turn, and says of each message that it can’t go on', async (t) => {
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
