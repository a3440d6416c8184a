/** Stopping as people do it: running work ends within two seconds, and the thread continues. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Place } from '../../support/app/scene.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { call, type FieldStage, sayCall, setFieldStage } from '../field-reports/field-stage.ts';

/** A sleep duration that no other process has. */
const SLEEP_S = String(700_000 + process.pid);

describe('a stop', () => {
  let stage: FieldStage;
  let folder: string;
  before(async () => {
    // The sandbox has its own /tmp.
    folder = await mkdtemp('/var/tmp/countersign-stop-');
    stage = await setFieldStage('http', {
      WORKSPACE_DIR: folder,
      // A machine without a sandbox stops commands as well.
      ALLOW_UNSANDBOXED_COMMANDS: '1',
    });
  });
  after(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => stage.workspace.faults.clear());

  /** A command that is approved and runs, and ignores signals. */
  async function stubbornCommand(mark: string): Promise<Place> {
    const command = `trap '' TERM INT HUP; sleep ${SLEEP_S}; touch ${mark}.over`;
    stage.play(sayCall('run_command', { command, timeoutSeconds: 600 }), sayText('Awake again.'));
    const place = await stage.ask('requester', 'take a nap');
    const card = await stage.card(place, `sleep ${SLEEP_S}`, 'Approve');
    await stage.press('requester', card, 'call.approve');
    await until(isSleeping);
    return place;
  }

  /** When the stop was recorded, and when the end of the command was. */
  function lastFacts(): { readonly stopped: number; readonly ended: number } {
    const [stop] = stage.sql<{ at: number }>(
      `SELECT at FROM audit WHERE event = 'turn.stop' ORDER BY seq DESC LIMIT 1`,
    );
    const [end] = stage.sql<{ at: number }>(
      `SELECT at FROM audit WHERE event = 'call.finish' ORDER BY seq DESC LIMIT 1`,
    );
    assert.ok(stop && end);
    return { stopped: stop.at, ended: end.at };
  }

  async function assertEnded(place: Place, who: string, asked: number): Promise<void> {
    const { id } = stage.workspace.member(who);
    await stage.answer(place, `<@${id}> stopped this.`);
    await stage.card(place, 'stopped while it ran');
    await stage.settled();
    const { stopped, ended } = lastFacts();
    assert.ok(ended >= stopped && ended - stopped < 2_000, `${ended - stopped} ms`);
    await until(async () => !(await isSleeping()));
    assert.equal(stage.asked(), asked);
    await stage.write('requester', place, 'and now?');
    await stage.answer(place, 'Awake again.');
    assert.match(stage.toolMessages().at(-1) ?? '', /run_command was stopped by a person/);
    assert.deepEqual(stage.model.refusals, []);
  }

  it('typed in the thread ends a command that ignores signals within two seconds, and the next message works', async () => {
    const place = await stubbornCommand('one');
    const asked = stage.asked();
    await stage.write('outsider', place, 'stop');
    await assertEnded(place, 'outsider', asked);
    assert.deepEqual(await readdir(folder), []);
  });

  it('from the keyboard ends it as well', async () => {
    const place = await stubbornCommand('two');
    const asked = stage.asked();
    await stage.workspace.command('requester', 'general', '/countersign', 'status');
    await stage.privately('requester', 'Running here');
    await stage.workspace.command('requester', 'general', '/countersign', 'stop');
    await stage.privately('requester', 'Stopped.');
    await assertEnded(place, 'requester', asked);
  });

  it('interrupts the model in the middle of a sentence', async () => {
    stage.model.script(() => ({ kind: 'hang', deltas: ['Well, '] }));
    const asked = stage.asked();
    const place = await stage.ask('requester', 'tell me everything');
    await until(() => stage.asked() > asked);
    await stage.write('requester', place, 'Stop!');
    await stage.answer(place, 'stopped this.');
    await stage.settled();
    stage.play(sayText('At your service.'));
    await stage.write('requester', place, 'hello again');
    await stage.answer(place, 'At your service.');
    assert.deepEqual(stage.model.refusals, []);
  });

  it('sent as a direct message "stop" ends the work in the other threads', async () => {
    stage.play(sayCall('note', { text: 'in private' }));
    const place = await stage.askDirectly('requester', 'note it');
    await stage.card(place, 'in private', 'Approve');
    await stage.askDirectly('requester', 'please stop');
    await stage.card(place, 'in private', 'Withdrawn');
    await stage.answer(place, 'stopped this.');
    await stage.settled();
    const again = await stage.askDirectly('requester', 'stop');
    await stage.privately('requester', 'nothing to stop');
    assert.equal(
      stage.thread(again).filter(({ botId, visibleTo }) => botId && !visibleTo).length,
      0,
    );
  });

  it('survives an immediate crash: nothing of the turn runs again', async () => {
    stage.play(sayCall('hold', { note: 'crash' }), sayText('Back.'));
    const place = await stage.ask('requester', 'hold it');
    const card = await stage.card(place, 'crash', 'Approve');
    await stage.press('requester', card, 'call.approve');
    await until(async () => (await stage.runs()).some(({ tool }) => tool === 'hold.begin'));
    await stage.app().kill();
    // Only the stop was received.
    const [turn] = stage.sql<{ id: string }>(`SELECT id FROM inbox WHERE state = 'current'`);
    assert.ok(turn);
    const by = { team: stage.workspace.team.id, user: stage.workspace.member('requester').id };
    const stopped = JSON.stringify({ by, at: Date.now() });
    stage.sql(
      `UPDATE records SET document = json_set(document, '$.message.stopped', json(?)) WHERE key = ?`,
      stopped,
      `message/${turn.id}`,
    );
    await stage.startAgain();
    await stage.card(place, 'crash', 'may have run');
    await stage.settled();
    assert.equal(stage.sql(`SELECT id FROM inbox WHERE state = 'current'`).length, 0);
    await stage.write('requester', place, 'and?');
    await stage.answer(place, 'Back.');
    assert.match(stage.toolMessages().at(-1) ?? '', /not known whether this ran/);
  });

  it('does not affect other threads', async () => {
    stage.model.script((_request, index) =>
      index < 2
        ? {
            kind: 'message',
            deltas: [],
            calls: [call('note', { text: `n${index}` })],
            finishReason: 'tool_calls',
          }
        : sayText('Noted.'),
    );
    const first = await stage.ask('requester', 'note this');
    await stage.card(first, 'n0', 'Approve');
    const second = await stage.ask('requester', 'note that');
    const card = await stage.card(second, 'n1', 'Approve');
    await stage.write('requester', first, 'stop');
    await stage.card(first, 'n0', 'Withdrawn');
    await stage.press('requester', card, 'call.approve');
    await stage.answer(second, 'Noted.');
  });
});

/** Whether the process of the command is alive anywhere on this machine. */
async function isSleeping(): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '')),
  );
  return lines.some((line) => line.split('\0')[0]?.endsWith('sleep') && line.includes(SLEEP_S));
}
