import { randomBytes } from 'node:crypto';
import { createAgent } from '../../../src/agent/create-agent.ts';
import { createUnstartedClaims } from '../../../src/desk/calls/execution/unstarted-claims.ts';
import { createStopSignals } from '../../../src/desk/control/stop-signals.ts';
import { createIntegrityAlarm } from '../../../src/desk/decisions/integrity-alarm.ts';
import { createDesk, createWorker, type Desk, type Worker } from '../../../src/desk/desk.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Directory } from '../../../src/domain/ports/directory.ts';
import type { Log } from '../../../src/domain/ports/log.ts';
import { createRedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import {
  createSqliteStore,
  type SqliteStore,
} from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { databasePathIn } from '../../../src/stores/sqlite/open-database.ts';
import type { KillSwitch } from './kill-switch.ts';
import { type Ask, createRunChat, createRunTools } from './outside.ts';
import { runGate } from './policy.ts';
import type { StoreAddress } from './protocol.ts';
import { createScriptedModel } from './scripted-model.ts';
import { type DiskWatch, watchDisk } from './watch-disk.ts';
import { watchAgent, watchStore } from './watch-ports.ts';

type AnyStore = Awaited<ReturnType<typeof createRedisStore>> | SqliteStore;

/** The real desk, worker, graph and store; only the model, the tools and Slack are simulated. */
export interface LeanDesk {
  readonly desk: Desk;
  readonly worker: Worker;
  /** The store without the kill switch. */
  readonly store: AnyStore;
}

const NO_FILES = { kind: 'refused', why: 'there are no files here.' } as const;
const EVERYBODY: Directory = {
  profileOf: async () => ({ standing: 'member', isAdmin: false }),
  groupOf: async () => ({ members: new Set() }),
};

/** Opens the store of a run and builds the desk on it; the worker is not started. */
export async function openLeanDesk(deps: {
  readonly address: StoreAddress;
  readonly clock: Clock;
  readonly kill: KillSwitch;
  readonly log: Log;
  readonly ask: Ask;
}): Promise<LeanDesk> {
  const { clock, kill, log, ask } = deps;
  let worker: Worker | undefined;
  const store = await openStore(deps, () => worker?.nudge());
  const watched = watchStore<AnyStore>(store, kill);
  const toolbox = createRunTools(ask, kill);
  const agent = createAgent({
    model: createScriptedModel(kill),
    toolbox,
    helpers: [],
    history: watched.history,
    checkpoints: watched.checkpoints,
    clock,
    systemPrompt: 'You play scripts.',
    contextTokens: 20_000,
    log,
    onDelta: (thread, text) => worker?.live.delta(thread, text),
  });
  const signals = createStopSignals();
  const claims = createUnstartedClaims();
  const integrity = createIntegrityAlarm(log);
  const common = {
    store: watched,
    toolbox,
    clock,
    signals,
    claims,
    directory: EVERYBODY,
    senderPolicy: {},
    log,
  };
  const desk = createDesk({ ...common, integrity });
  worker = createWorker({
    ...common,
    integrity,
    agent: watchAgent(agent, kill),
    chat: createRunChat(ask, kill, toolbox),
    helpers: [],
    gate: runGate,
    attachments: {
      source: { fetch: async () => NO_FILES },
      folder: { save: async () => NO_FILES },
    },
    newId: () => randomBytes(16).toString('base64url'),
    toolTimeoutMs: 60_000,
  });
  return { desk, worker, store };
}

interface StoreDeps {
  readonly address: StoreAddress;
  readonly clock: Clock;
  readonly kill: KillSwitch;
  readonly log: Log;
}

async function openStore(deps: StoreDeps, onWake: () => void): Promise<AnyStore> {
  const { address, clock, kill, log } = deps;
  if (address.kind === 'redis') {
    const { url, prefix } = address;
    return await createRedisStore({ url, prefix, clock, log, onWake });
  }
  const { dataDir, synced } = address;
  const open = () => createSqliteStore({ dataDir, clock, onWake });
  return synced === undefined
    ? open()
    : openWatched(open, watchDisk(databasePathIn(dataDir), synced, kill));
}

function openWatched(open: () => SqliteStore, watch: DiskWatch): SqliteStore {
  const store = open();
  watch.opened(store.saver.db);
  return { ...store, close: () => watch.end(store.close) };
}
