/** A task that keeps failing becomes a visible dead letter, blocks nothing else, and is retried on demand. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { countDeadLetters } from '../../../src/desk/worker/count-dead-letters.ts';
import { createTaskRunner } from '../../../src/desk/worker/task-runner.ts';
import {
  type AgendaTask,
  advanceTurnKey,
  renderCardKey,
  runCallKey,
} from '../../../src/domain/ports/agenda.ts';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { messageId } from '../../../src/domain/threads/message.ts';
import { type ThreadKey, threadKey } from '../../../src/domain/threads/thread-key.ts';
import { SILENT } from '../../stores/redis/open-store.ts';
import { openStore } from '../../stores/sqlite/open-store.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { callRef } from '../../support/builders/call-ref.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { IDLE_HANDLERS } from '../support/idle-handlers.ts';

const HOUR_MS = 3_600_000;
const sayAct = () => sayCalls([{ name: 'act', args: '{"note":"a"}' }]);

async function deskWith(t: TestContext) {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { gate: askAll(), tools: [tool.definition] });
  const { ledger } = desk.store;
  /** Makes the thread's calls unreadable; returns a function that undoes it. */
  const breakCalls = () => {
    const { ofThread } = ledger;
    Object.assign(ledger, {
      ofThread: async (thread: ThreadKey, turn?: string) => {
        if (thread === THREAD) throw new Error('The JSON of a document in the database.');
        return await ofThread(thread, turn);
      },
    });
    return () => void Object.assign(ledger, { ofThread });
  };
  return { desk, tool, breakCalls };
}

describe('a thread whose work keeps failing', () => {
  it('is given up after two hours: its people are told, other threads continue, and a new message retries it', async (t) => {
    const { desk, breakCalls } = await deskWith(t);
    desk.model.script((_request, index) => (index === 0 ? sayAct() : sayText('Here I am.')));
    await desk.send('act');
    const mend = breakCalls();
    await desk.store.agenda.wake([{ key: advanceTurnKey(THREAD), dueAt: desk.clock.now() }]);
    await desk.clock.advance(3 * HOUR_MS);
    await until(async () =>
      (await desk.store.agenda.deadLetters()).some(({ key }) => key.task === 'pump'),
    );
    await desk.worker.idle();
    const told = desk.chat.said.filter(({ text }) => text.includes('I have stopped trying'));
    assert.equal(told.length, 1);
    assert.match(
      told[0]?.text ?? '',
      /Nothing is lost\. Write a message here and I’ll try again\./,
    );
    assert.doesNotMatch(told[0]?.text ?? '', /JSON|document|database/i);
    const [count] = countDeadLetters(await desk.store.agenda.deadLetters());
    assert.equal(count?.task, 'pump');

    const ts = '1700000777.000100';
    const other = threadKey({ team: 'T1', channel: 'C2', ts });
    const id = messageId({ team: 'T1', channel: 'C2', ts });
    await desk.desk.receive({
      id,
      thread: other,
      author: REQUESTER,
      ts,
      text: 'hi',
      receivedAt: desk.clock.now(),
    });
    await desk.worker.idle();
    assert.equal(desk.chat.said.at(-1)?.text, 'Here I am.');
    assert.equal(desk.chat.said.at(-1)?.thread, other);

    mend();
    await desk.send('and here?');
    assert.deepEqual(await desk.store.agenda.deadLetters(), []);
    assert.equal(desk.chat.said.at(-1)?.thread, THREAD);
    assert.equal(desk.chat.said.at(-1)?.text, 'Here I am.');
  });

  it('is also reported if an approved call cannot run, and the next message runs it', async (t) => {
    const { desk, tool } = await deskWith(t);
    desk.model.script((_request, index) => (index === 0 ? sayAct() : sayText('Done.')));
    await desk.send('act');
    const [call] = await desk.calls();
    assert.ok(call);
    // Writing the run fails while this trigger exists.
    const { db } = desk.store.saver;
    db.exec(`CREATE TRIGGER no_run BEFORE UPDATE ON records
      WHEN NEW.key LIKE 'call/%' AND json_extract(NEW.document, '$.status') = 'running'
      BEGIN SELECT RAISE (ABORT, 'a fault of the test'); END`);
    // As if another process held the thread: the run is claimed after the decision.
    t.mock.method(desk.store.agenda, 'openVisit', async () => undefined);
    const deciding = desk.decide(call, REQUESTER);
    await until(async () => (await desk.calls())[0]?.status === 'approved');
    await desk.clock.advance(3 * HOUR_MS);
    await deciding;
    await until(async () =>
      (await desk.store.agenda.deadLetters()).some(({ key }) => key.task === 'run'),
    );
    await desk.worker.idle();
    const told = desk.chat.said.find(({ text }) => text.includes('I could not continue “Act'));
    assert.match(told?.text ?? '', /the reason is in my log/);
    assert.deepEqual(tool.runs, []);
    db.exec('DROP TRIGGER no_run');
    await desk.send('try again');
    await desk.worker.idle();
    assert.equal(tool.runs.length, 1);
    assert.deepEqual(await desk.store.agenda.deadLetters(), []);
  });
});

describe('a card', () => {
  it('is retried while Slack is down, even for days, and posted when Slack is back', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(sayAct);
    desk.chat.failCards(new ChatError('temporary', 'Slack is away.'));
    await desk.send('act');
    await desk.clock.advance(12 * HOUR_MS);
    assert.deepEqual(await desk.store.agenda.deadLetters(), []);
    desk.chat.failCards(undefined);
    await desk.clock.advance(300_000);
    await until(() => desk.chat.cards.size === 1);
  });

  it('is not retried for ever with a token that Slack refuses, and is posted after the next start', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(sayAct);
    desk.chat.failCards(new ChatError('unauthorized', 'My token was revoked.'));
    await desk.send('act');
    await desk.clock.advance(3 * HOUR_MS);
    await until(async () => (await desk.store.agenda.deadLetters()).length === 1);
    const [call] = await desk.calls();
    assert.equal(call?.status, 'pending');
    desk.chat.failCards(undefined);
    desk.takeOver();
    desk.worker.start();
    await until(() => desk.chat.cards.size === 1);
  });
});

describe('the runner', () => {
  it('makes unknown tasks dead letters, and continues with the others', async (t) => {
    const { store, clock } = await openStore(t);
    const done: string[] = [];
    const redraw = async (id: string) => void done.push(id);
    const runner = createTaskRunner({
      agenda: store.agenda,
      clock,
      log: SILENT,
      handlers: { ...IDLE_HANDLERS, redraw },
    });
    await store.agenda.wake([
      { key: { task: 'nap' as AgendaTask, id: 'x' }, dueAt: 1 },
      { key: renderCardKey(callRef('call_1')), dueAt: 2 },
    ]);
    runner.start();
    await runner.idle();
    assert.deepEqual(done, ['call_1']);
    assert.match(
      (await store.agenda.deadLetters())[0]?.reason ?? '',
      /does not know the task “nap”/,
    );
    await runner.stop(0);
  });

  it('reserves slots for work that people wait for, however much long work is queued', async (t) => {
    const { store, clock } = await openStore(t);
    const held = new Set<string>();
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const run = async (id: string) => {
      held.add(id);
      await gate;
    };
    const redrawn: string[] = [];
    const redraw = async (id: string) => void redrawn.push(id);
    const runner = createTaskRunner({
      agenda: store.agenda,
      clock,
      log: SILENT,
      handlers: { ...IDLE_HANDLERS, run, redraw },
    });
    const now = clock.now();
    await store.agenda.wake(
      Array.from({ length: 100 }, (_, n) => ({
        key: runCallKey(callRef(`call_${n}`)),
        dueAt: now,
      })),
    );
    runner.start();
    await until(() => held.size === 48);
    await store.agenda.wake([{ key: renderCardKey(callRef('new')), dueAt: now - 86_400_000 }]);
    runner.nudge();
    await until(() => redrawn.length === 1);
    assert.equal(held.size, 48);
    release();
    await runner.idle();
    assert.equal(held.size, 100);
    await runner.stop(0);
  });
});
