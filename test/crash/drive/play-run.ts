import type { StoreAddress } from '../lean/protocol.ts';
import type { Deed, StoreDump } from '../record.ts';
import { DiedError, type LeanProcess } from './lean-process.ts';
import { createOutsideWorld } from './outside-world.ts';
import { type Act, createPeople } from './people.ts';
import type { RunPlan } from './plan-run.ts';
import type { Recorder } from './recorder.ts';

/** The processes of a lane: one at a time, a new one after each death. */
export interface Lane {
  process(): LeanProcess;
}

/** A longer run is stuck. */
const MINUTE_MS = 60_000;
/** More than any plan has. */
const MAX_ACTS = 60;

/** How a run went, apart from the findings of the checker. */
export interface RunEnd {
  /** How many of the planned kills happened. */
  readonly kills: number;
  /** How often the last process passed each point. */
  readonly passed: Readonly<Record<string, number>>;
}

/** Plays a run until people have nothing left to do, and records it. */
export async function playRun(
  plan: RunPlan,
  address: StoreAddress,
  lane: Lane,
  recorder: Recorder,
  onDeath?: () => void,
): Promise<RunEnd> {
  const world = createOutsideWorld(recorder);
  const people = createPeople(plan, world, recorder.now);
  const { kills } = plan;
  const session = createSession({ address, lane, recorder, kills, serve: world.serve, onDeath });
  for (let acts = 0; acts < MAX_ACTS; acts += 1) {
    const isAlive = await session.whileAlive(async () => {
      await session.heal();
      const act = people.next();
      if (!act) return false;
      await perform(act);
      return true;
    });
    if (isAlive === false) break;
  }
  return await session.end();

  /** All are sent at once, so that they race; people who got a response to one do not ask again. */
  async function perform(act: Act): Promise<void> {
    const sent = Array.from({ length: act.times }, async () => {
      const sentAt = recorder.now();
      const note = (rest: Pick<Deed & { op: 'message' }, 'answer' | 'said'>) =>
        recorder.deed(deedOf(act, sentAt, rest));
      try {
        note({ answer: 'ok', said: await session.ask<string>(act.command) });
        people.answered(act);
      } catch (error) {
        const hasDied = error instanceof DiedError;
        note({ answer: hasDied ? 'unknown' : 'fail', said: String(error) });
        if (hasDied) throw error;
      }
    });
    const ends = await Promise.allSettled(sent);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

/** Creates the processes of a run, one after the other on the same store; a process without an entry in `kills` is not planned to die. */
export function createSession(deps: {
  readonly address: StoreAddress;
  readonly lane: Lane;
  readonly recorder: Recorder;
  readonly kills: RunPlan['kills'];
  readonly serve: Parameters<LeanProcess['serve']>[0];
  /** A process has died, and the next one has not started. */
  readonly onDeath?: (() => void) | undefined;
}) {
  const { address, lane, recorder } = deps;
  let started = 0;
  let killed = 0;
  let current: LeanProcess | undefined;

  async function ask<T>(command: Parameters<LeanProcess['ask']>[0]): Promise<T> {
    if (!current) throw new Error('No process runs.');
    return await current.ask<T>(command);
  }

  async function dump(when: StoreDump['when']): Promise<void> {
    recorder.dump({ when, ...(await ask<Omit<StoreDump, 'n' | 'at' | 'when'>>({ op: 'dump' })) });
  }

  async function start(): Promise<void> {
    current = lane.process();
    current.serve(deps.serve);
    const kill = deps.kills[killed];
    const { aheadMs, logFile } = recorder;
    await ask({ op: 'open', store: address, aheadMs, logFile, kill });
    if (started > 0) await dump('restart');
    started += 1;
    recorder.deed({ op: 'start' });
    await ask({ op: 'begin' });
  }

  return {
    ask,

    /** Runs it on a live process; undefined if the process dies meanwhile. */
    async whileAlive<T>(work: () => Promise<T>): Promise<T | undefined> {
      try {
        if (!current) await start();
        return await work();
      } catch (error) {
        if (!(error instanceof DiedError)) throw error;
        recorder.deed({ op: 'kill', point: deps.kills[killed]?.point ?? 'from outside' });
        killed += 1;
        current = undefined;
        deps.onDeath?.();
        return undefined;
      }
    },

    /** Advances the time until nothing is due within a minute. */
    async heal(): Promise<void> {
      const began = recorder.now();
      for (;;) {
        const dueAt = await ask<number | undefined>({ op: 'rest' });
        const now = recorder.now();
        if (dueAt === undefined || dueAt > began + MINUTE_MS) {
          recorder.deed({ op: 'healed', tookMs: now - began });
          return;
        }
        await pass(Math.max(dueAt - now, 0) + 1);
      }
    },

    pass,

    /** Kills the process from outside. */
    async kill(): Promise<void> {
      await current?.kill();
    },

    /** Records the state of the store, and closes it. */
    async end(): Promise<RunEnd> {
      await dump('end');
      const passed = await ask<RunEnd['passed']>({ op: 'close' });
      return { kills: killed, passed };
    },
  };

  /** Advances the time. */
  async function pass(ms: number): Promise<void> {
    recorder.advance(ms);
    await ask({ op: 'advance', ms });
  }
}

function deedOf(
  { command }: Act,
  sentAt: number,
  { answer, said }: Pick<Deed & { op: 'message' }, 'answer' | 'said'>,
): Deed {
  const rest = { sentAt, answer, ...(said !== undefined && { said }) };
  switch (command.op) {
    case 'receive': {
      const { id, thread, text, author } = command.message;
      return { op: 'message', id, thread, text, by: nameOf(author), ...rest };
    }
    case 'decide': {
      const { decision, by, ...token } = command.command;
      return { op: 'decide', ...token, by: nameOf(by), kind: decision.kind, ...rest };
    }
    case 'settle': {
      const { finding, by, ...token } = command.command;
      return { op: 'settle', ...token, by: nameOf(by), finding, ...rest };
    }
  }
}

function nameOf({ team, user }: { readonly team: string; readonly user: string }): string {
  return `${team}/${user}`;
}
