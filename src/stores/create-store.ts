/** Builds all storage ports on the records of one backend. */
import type { OnDamaged } from '../domain/audit/damaged-record.ts';
import { createAuditSeal, type Seal } from '../domain/calls/seal.ts';
import type { Cancel, Clock } from '../domain/ports/clock.ts';
import type { Log } from '../domain/ports/log.ts';
import type { Audit, Store } from '../domain/ports/store.ts';
import type { InstallationKey } from '../domain/secrets/secret-mark.ts';
import { createHolds, type Holds } from './holds/holds.ts';
import { createOwnedRecords, type OwnedRecords, type RecordsLocation } from './owned-records.ts';
import type { Records } from './records.ts';
import { createAgenda } from './repositories/agenda.ts';
import { createSealedAudit, markAudit } from './repositories/audit.ts';
import { createCalls } from './repositories/calls.ts';
import { checkpointKey, createCheckpoints } from './repositories/checkpoints.ts';
import { createDigestMessages } from './repositories/digest-messages.ts';
import { threadRecordOf } from './repositories/documents/stored-thread.ts';
import { createHistory } from './repositories/history.ts';
import { createInactiveThreads } from './repositories/inactive-threads.ts';
import { createMessages } from './repositories/messages.ts';
import { createOutbox } from './repositories/outbox.ts';
import { createProgressReports } from './repositories/progress-reports.ts';
import {
  assertWritable,
  createDrafts,
  createKeys,
  createPauseSwitch,
  createPins,
  createRouteBook,
} from './repositories/settings.ts';
import { createTurnRecords } from './repositories/turn-records.ts';

/** Longest delay between appending an audit entry and sealing it. */
const SEAL_AFTER_MS = 5_000;

/** What a store is built from. */
export interface StoreParts {
  readonly records: Records;
  readonly place: RecordsLocation;
  readonly installationKey: InstallationKey;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each damaged record that a list leaves out. */
  readonly onDamaged: OnDamaged;
}

type PreloadPorts = Pick<
  Store,
  'history' | 'inbox' | 'ledger' | 'outbox' | 'pause' | 'turnRecords'
>;

/** The ports, and the signals that wake a worker. */
export type CreatedStore = Omit<Store, 'check'> &
  Pick<Holds, 'listen' | 'requestLease'> &
  Pick<OwnedRecords, 'belongTo'> & {
    /** Rejects with the reason and a remedy if the store is not writable. */
    tryWrite(): Promise<void>;
  };

/** Creates the ports. `close` seals the audit and closes the records; `check` comes from the backend. */
export function createStore(parts: StoreParts): CreatedStore {
  const { clock, installationKey, log, onDamaged } = parts;
  const seal = createAuditSealReader(installationKey);
  const { belongTo, records: owned } = createOwnedRecords(parts.records, parts.place);
  const audit = createSealedAudit(markAudit(owned, seal), seal);
  const sealing = createSealing(audit, { clock, log });
  const holds = createHolds(markAudit(sealing.watched(owned), seal), clock);
  const { records } = holds;
  const ports = {
    ledger: createCalls(records, onDamaged),
    inbox: createMessages(records, onDamaged),
    turnRecords: createTurnRecords(records),
    history: {
      ...createHistory(records, onDamaged),
      ...createInactiveThreads(records, onDamaged),
    },
    outbox: createOutbox(records, onDamaged),
    pause: createPauseSwitch(records),
  };
  return {
    ...ports,
    preload: createPreload(records, ports),
    listen: holds.listen,
    requestLease: holds.requestLease,
    belongTo,
    tryWrite: () => assertWritable(owned, clock.now()),
    observe: holds.observe,
    fresh: holds.fresh,
    checkpoints: createCheckpoints(records, holds),
    agenda: createAgenda(owned, holds),
    audit: createSealedAudit(records, seal),
    routes: createRouteBook(records),
    pins: createPins(records),
    drafts: createDrafts(records, clock),
    keys: createKeys(records),
    digestMessages: createDigestMessages(records),
    reports: createProgressReports(records),
    async close() {
      await sealing.stop();
      await holds.releaseHolds().catch((error: unknown) => {
        log.warn({ err: error }, 'Threads could not be released; their leases will expire.');
      });
      await parts.records.close();
    },
  };
}

/** Turns in the first page of a thread's history. */
const HISTORY_PAGE = 20;

/** Builds the reads that fill the cache of a held thread. */
function createPreload(
  records: Records,
  { history, inbox, ledger, outbox, pause, turnRecords }: PreloadPorts,
): Store['preload'] {
  return async (thread, turn) => {
    const ofTurn = (id: string) => [
      ...[history.has(thread, id), turnRecords.ofTurn(thread, id), ledger.ofThread(thread, id)],
      records.get([checkpointKey(thread)]),
    ];
    const ofThread = () => [
      ...[inbox.current(thread), inbox.waiting(thread), pause.read()],
      ...[outbox.liveMessageOf(thread), outbox.pendingMessages(thread)],
      ...[history.newest(thread, HISTORY_PAGE, 0), records.get([threadRecordOf(thread)])],
    ];
    await Promise.allSettled(turn === undefined ? ofThread() : ofTurn(turn));
  };
}

/** Creates the audit's seal; the installation key is read on first use. */
export function createAuditSealReader(installationKey: InstallationKey): () => Promise<Seal> {
  let seal: Promise<Seal> | undefined;
  return () => {
    seal ??= installationKey.read().then(createAuditSeal);
    // A failed read is retried on the next use.
    seal.catch(() => {
      seal = undefined;
    });
    return seal;
  };
}

/** Seals the audit a few seconds after each append by this process, and on close. */
function createSealing(audit: Audit, { clock, log }: Pick<StoreParts, 'clock' | 'log'>) {
  let cancel: Cancel | undefined;
  let running: Promise<void> = Promise.resolve();
  let isOver = false;

  async function sealNow(): Promise<void> {
    try {
      const fault = await audit.seal(clock.now());
      if (fault) log.error({ fault }, BROKEN);
    } catch (error) {
      // The entries are sealed with the next append, or at the next start.
      log.warn({ err: error }, 'The audit could not be sealed; trying again.');
      if (!isOver) plan();
    }
  }

  function plan(): void {
    cancel ??= clock.schedule(clock.now() + SEAL_AFTER_MS, () => {
      cancel = undefined;
      running = running.then(sealNow);
    });
  }

  return {
    watched: (records: Records): Records => ({
      ...records,
      async commit(commit, onWritten) {
        const done = await records.commit(commit, onWritten);
        if (commit.audit?.length && done.kind === 'done' && !isOver) plan();
        return done;
      },
    }),
    async stop() {
      const isDue = cancel !== undefined;
      isOver = true;
      cancel?.();
      cancel = undefined;
      await running;
      if (isDue) await sealNow();
    },
  };
}

const BROKEN =
  'The audit is broken, and nothing after the break is sealed. Run “npx --no -- countersign audit verify”.';
