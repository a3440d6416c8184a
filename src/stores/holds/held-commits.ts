/** Commits of this process: they carry the finished tasks of held units, and update the caches. */
import type { Clock } from '../../domain/ports/clock.ts';
import {
  type Commit,
  type Committed,
  changedNames,
  type Records,
  type StoredRecord,
} from '../records.ts';
import type { HeldUnits } from './held-units.ts';
import { type HoldCache, toCacheChanges } from './hold-cache.ts';

/** Creates the commit; `onAsked` is called after one that scheduled tasks. */
export function createHeldCommit(
  records: Records,
  units: HeldUnits,
  clock: Clock,
  onAsked: () => void,
): Records['commit'] {
  /** Leases right behind a commit that is on its way, so that no worker waits for its answer. */
  function leaseBehind({ tasks = [] }: Commit, written: Promise<unknown>): void {
    if (!units.isLeaseNeeded(tasks)) return;
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    written.then(end, end);
    setImmediate(() => {
      if (isOver) return;
      units.scheduleLook(clock.now());
      onAsked();
    });
  }

  return async function commit(given: Commit): Promise<Committed> {
    const sent = units.sentWith(given);
    // If the response is lost, these tasks run again once their unit is released.
    const held = sent.length === 0 ? {} : { held: { now: clock.now(), units: sent } };
    const leases = units.leases();
    const written = write(records, units, { ...given, ...held });
    leaseBehind(given, written);
    const done = await written;
    if (done.kind !== 'done') {
      units.restoreDone(sent);
      if (done.kind === 'conflict') dropWhereOld(units, done.newer);
      return done;
    }
    units.committed(given.tasks ?? [], done.handedOut, sent, leases);
    if (given.tasks?.some((change) => 'askedFor' in change)) onAsked();
    return done;
  };
}

const cachesOf = (units: HeldUnits): readonly HoldCache[] => units.all().map(({ cache }) => cache);

/** A conflict shows that others changed the unit: drop what is cached of it. */
function dropWhereOld(units: HeldUnits, newer: readonly StoredRecord[]): void {
  for (const cache of cachesOf(units)) {
    if (newer.some(({ key }) => cache.get(key))) cache.drop();
  }
}

/** Commits, and applies commits to the caches in their order. */
async function write(records: Records, units: HeldUnits, commit: Commit): Promise<Committed> {
  const names = changedNames(commit.records ?? []);
  units.recent.note(names);
  const follow = () => {
    units.recent.note(names);
    const changes = toCacheChanges(commit.records ?? []);
    for (const cache of cachesOf(units)) cache.change(changes);
  };
  try {
    return await records.commit(commit, follow);
  } catch (error) {
    // It is unknown whether the commit was written.
    for (const cache of cachesOf(units)) cache.drop();
    throw error;
  }
}
