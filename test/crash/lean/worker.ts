/** The entry of a worker process: it executes the commands of the harness, and dies at the planned point. */
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { inspect } from 'node:util';
import type { Log } from '../../../src/domain/ports/log.ts';
import { dumpStore } from './dump-store.ts';
import { createKillSwitch, type KillSwitch } from './kill-switch.ts';
import { type LeanDesk, openLeanDesk } from './lean-desk.ts';
import type { Command, OutsideRequest, ToHarness, ToWorker } from './protocol.ts';
import { createRunClock, type RunClock } from './run-clock.ts';

interface Open extends LeanDesk {
  readonly clock: RunClock;
  readonly kill: KillSwitch;
}

const asked = new Map<number, (value: string) => void>();
let asks = 0;
let opened: Open | undefined;

function tell(message: ToHarness): void {
  process.send?.(message);
}

async function ask(request: OutsideRequest): Promise<string> {
  asks += 1;
  const id = asks;
  const answer = new Promise<string>((resolve) => asked.set(id, resolve));
  tell({ asks: id, request });
  return await answer;
}

function createLog(file: string): Log {
  const silent = () => {};
  const append = (fields: object, text: string) =>
    appendFileSync(file, `${text} ${inspect(fields)}\n`);
  return { debug: silent, info: silent, warn: append, error: append };
}

function desk(): Open {
  if (!opened) throw new Error('No store is open.');
  return opened;
}

async function open(command: Extract<Command, { op: 'open' }>): Promise<void> {
  const kill = createKillSwitch(command.kill);
  const clock = createRunClock(command.aheadMs);
  const log = createLog(command.logFile);
  opened = {
    ...(await openLeanDesk({ address: command.store, clock, kill, log, ask })),
    clock,
    kill,
  };
}

async function rest(): Promise<number | undefined> {
  const { worker, store, clock } = desk();
  for (;;) {
    worker.nudge();
    await worker.idle();
    const dueAt = await store.agenda.nextDueAt();
    if (dueAt === undefined || dueAt > clock.now()) return dueAt;
  }
}

async function close(): Promise<Readonly<Record<string, number>>> {
  const { worker, store, kill } = desk();
  await worker.stop(0);
  await worker.live.stop();
  await worker.status.settled();
  await store.close();
  opened = undefined;
  return kill.counts();
}

async function perform(command: Command): Promise<unknown> {
  switch (command.op) {
    case 'open':
      return await open(command);
    case 'begin':
      return desk().worker.start();
    case 'receive':
      return await desk().desk.receive(command.message);
    case 'decide':
      return (await desk().desk.decide(command.command)).kind;
    case 'settle':
      return (await desk().desk.settle(command.command)).kind;
    case 'rest':
      return await rest();
    case 'advance':
      return desk().clock.advance(command.ms);
    case 'dump':
      return await dumpStore(desk().store);
    case 'close':
      return await close();
  }
}

process.on('message', (message: ToWorker) => {
  if ('answers' in message) {
    asked.get(message.answers)?.(message.value);
    asked.delete(message.answers);
    return;
  }
  perform(message.command).then(
    (value) => tell({ id: message.id, value }),
    (error: unknown) => {
      tell({ id: message.id, error: error instanceof Error ? (error.stack ?? '') : String(error) });
    },
  );
});
// The harness has ended.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
