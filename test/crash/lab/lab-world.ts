/** The real desk and worker on a real store, with processes that can be killed at any call, and simulated tools, people and Slack. */

import { createUnstartedClaims } from '../../../src/desk/calls/execution/unstarted-claims.ts';
import { createStopSignals } from '../../../src/desk/control/stop-signals.ts';
import { createIntegrityAlarm } from '../../../src/desk/decisions/integrity-alarm.ts';
import { createDesk, createWorker, type Desk, type Worker } from '../../../src/desk/desk.ts';
import type { Directory } from '../../../src/domain/ports/directory.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import { passStore } from '../../support/store/faulty-store.ts';
import { type Checkpoints, createLabAgent } from './lab-agent.ts';
import type { LabBackend } from './lab-backend.ts';
import { createLabChat, createLabSlack, type LabSlack } from './lab-chat.ts';
import { createLabClock, type LabClock } from './lab-clock.ts';
import { createLabProcess, type LabProcess, type Traffic } from './lab-process.ts';
import { createLabTools, labGate, TOOL_MS, type ToolWorld } from './lab-tools.ts';

/** Longer than a lease: afterwards a dead process holds nothing. */
export const LEASE_OVER_MS = 31_000;

/** A process with its running parts. */
export interface Running {
  readonly process: LabProcess;
  readonly desk: Desk;
  readonly worker: Worker;
}

export interface LabWorld {
  readonly name: string;
  readonly clock: LabClock;
  readonly slack: LabSlack;
  readonly tools: ToolWorld;
  /** The unwrapped store, outside all processes. */
  store(): Store;
  /** The newest process. */
  running(): Running;
  /** Waits until everything that needs no time has settled; rejects if it never does. */
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
  /** Kills every process and starts one on the same store after the given time; `before` runs when it exists and has not started to work. */
  restart(downMs: number, before?: (desk: Desk) => Promise<unknown>): Promise<void>;
  /** Starts another process beside the existing ones. */
  startAnother(): Promise<void>;
  /** Loses the checkpoints of all threads. */
  loseCheckpoints(): void;
  /** Does so after the leases of the suspended processes have expired. */
  takeOver(): Promise<void>;
  /** Resumes suspended processes until all has settled; the newest one stays. Returns the calls that they were about to start. */
  thaw(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const PEOPLE: Directory = {
  profileOf: async ({ user }) => ({
    standing: user === 'U8' ? 'guest' : 'member',
    isAdmin: user === 'U7',
  }),
  groupOf: async () => ({ members: new Set() }),
};

const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };
/** Far longer than any finite work takes. */
const MANY_ROUNDS = 400;
const START_MS = 1_700_000_000_000;

/** Opens a world on an empty store, with one running process. */
export async function openWorld(backend: LabBackend): Promise<LabWorld> {
  const clock = createLabClock(START_MS);
  const slack = createLabSlack();
  const tools: ToolWorld = { effects: [], mode: 'well', held: [] };
  const checkpoints: Checkpoints = new Map();
  const traffic: Traffic = { underWay: 0, begun: 0, hanging: 0 };
  const data = await backend.open(clock);
  let store = data.store;
  // The processes of a store share its leases, and so what is known of them.
  let claims = createUnstartedClaims();
  let ids = 0;
  let all: Running[] = [];

  function create(): Running {
    const process = createLabProcess(clock, traffic);
    const own = passStore(store, process);
    const signals = createStopSignals();
    const toolbox = createLabTools(tools, process, clock.now);
    const deps = {
      store: own,
      agent: createLabAgent(checkpoints, store, process),
      chat: createLabChat(slack, process),
      toolbox,
      helpers: [],
      gate: labGate,
      attachments: NO_FILES,
      directory: PEOPLE,
      senderPolicy: {},
      signals,
      claims,
      clock: process.clock,
      log: SILENT,
      integrity: createIntegrityAlarm(SILENT),
      newId: () => {
        ids += 1;
        return String(ids).padStart(22, '0');
      },
      toolTimeoutMs: TOOL_MS,
    };
    return { process, desk: createDesk(deps), worker: createWorker(deps) };
  }

  function youngest(): Running {
    const last = all.at(-1);
    if (!last) throw new Error('No process runs.');
    return last;
  }

  /** Nothing is in flight, and nothing has started for some turns of the loop. */
  async function rest(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (traffic.underWay > 0) quiet = -1;
    }
  }

  async function settle(): Promise<void> {
    for (let round = 0; round < MANY_ROUNDS; round += 1) {
      const { begun } = traffic;
      for (const { process, worker } of all) if (process.state() === 'alive') worker.nudge();
      await rest();
      if (all.every(({ process }) => process.state() !== 'alive')) return;
      const dueAt = await store.agenda.nextDueAt();
      if (dueAt === undefined || dueAt > clock.now()) return;
      // The process that would do it waits for a response that does not arrive.
      if (traffic.begun === begun && traffic.hanging > 0) return;
    }
    throw new Error(`${backend.name}: the work never comes to rest.`);
  }

  function start(): void {
    const made = create();
    all.push(made);
    made.worker.start();
  }

  async function startAnother(): Promise<void> {
    start();
    await settle();
  }

  await startAnother();
  return {
    name: backend.name,
    clock,
    slack,
    tools,
    store: () => store,
    running: youngest,
    settle,
    advance: (ms) => clock.advance(ms, settle),
    async restart(downMs, before) {
      for (const { process } of all) process.kill();
      await rest();
      tools.held.length = 0;
      await clock.advance(downMs, rest);
      store = await data.reopen();
      claims = createUnstartedClaims();
      const made = create();
      all = [made];
      await before?.(made.desk);
      made.worker.start();
      await settle();
    },
    startAnother,
    loseCheckpoints: () => checkpoints.clear(),
    async takeOver() {
      await clock.advance(LEASE_OVER_MS, settle);
      await startAnother();
    },
    async thaw() {
      const frozen = all.filter(({ process }) => process.state() === 'frozen');
      for (const { process } of frozen) process.thaw();
      await settle();
      for (const { process } of all.slice(0, -1)) process.kill();
      all = all.slice(-1);
      return frozen.flatMap(({ process }) => process.atTheDoor());
    },
    async close() {
      for (const { process } of all) process.kill();
      await rest();
      await data.close();
    },
  };
}

const NO_FILES = {
  source: { fetch: async () => ({ kind: 'refused', why: 'there are none.' }) as const },
  folder: { save: async () => ({ kind: 'refused', why: 'there are none.' }) as const },
};
