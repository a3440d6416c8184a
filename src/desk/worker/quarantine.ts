/**
 * Stored records that can't be understood. Each has one key on the agenda, under which it is looked
 * at three times and then parked: that is the quarantine. Nothing is done with such a record, and
 * nothing is written over it, so that it works again once it is restored.
 */

import {
  DamagedRecordError,
  decodeRecordName,
  describeRecordName,
  encodeRecordName,
  type RecordKind,
  type RecordName,
} from '../../domain/audit/damaged-record.ts';
import {
  type AgendaKey,
  advanceTurnKey,
  damagedRecordKey,
  deliverOutboxKey,
  type Lease,
  renderCardKey,
  runCallKey,
  threadCommandsKey,
} from '../../domain/ports/agenda.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { OutboxMessage } from '../../domain/threads/outbox-message.ts';
import { channelKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';

/** A record that waits to be restored. */
export interface QuarantinedRecord {
  readonly record: RecordName;
  /** Since when. */
  readonly at: number;
}

export interface Quarantine {
  /** Has a record looked at that was found damaged; what fails is logged. */
  note(error: DamagedRecordError): void;
  /** Rejects while the record that the key names is damaged. */
  look(id: string): Promise<void>;
  /** Before work is parked: tells of the record that it is about, once. */
  notifyDamaged(lease: Lease, error: unknown): Promise<void>;
  /** Takes up again what stood still for records that can be read by now. */
  release(): Promise<void>;
}

/** Lists the records in quarantine, longest ago first. */
export async function listQuarantined({
  agenda,
}: Pick<Store, 'agenda'>): Promise<readonly QuarantinedRecord[]> {
  return (await agenda.deadLetters()).flatMap(({ key, at }) => {
    const record = key.task === 'damaged' ? decodeRecordName(key.id) : undefined;
    return record ? [{ record, at }] : [];
  });
}

/** Says to the operator how many records wait to be restored: the app works all the same. */
export function warnOfQuarantine({ length }: readonly QuarantinedRecord[]): readonly string[] {
  if (length === 0) return [];
  const which = length === 1 ? 'One stored record is' : `${length} stored records are`;
  return [`${which} damaged and left alone. The log and the audit name it; restore it.`];
}

/** Creates the quarantine of one process; what is in it is stored. */
export function createQuarantine(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'log' | 'admins' | 'team'>,
): Quarantine {
  const { store, clock, log, admins = new Set<string>() } = deps;
  /** Records that lists have left out; looked at anew with each reading. */
  const leftOut = new Set<string>();

  async function plan(record: RecordName): Promise<void> {
    const key = damagedRecordKey(record);
    // What is due or parked already is left as it is.
    if ((await store.agenda.unscheduled([key])).length === 0) return;
    await store.agenda.wake([{ key, dueAt: clock.now() }]);
  }

  async function isDamaged(record: RecordName): Promise<boolean> {
    const name = encodeRecordName(record);
    leftOut.delete(name);
    // Another version may have quarantined a kind that this one does not know.
    if (!Object.hasOwn(READ_AGAIN, record.kind)) return true;
    try {
      await READ_AGAIN[record.kind](store, record);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      if (encodeRecordName(error.record) === name) return true;
    }
    return leftOut.has(name);
  }

  async function release(record: RecordName): Promise<void> {
    const own = damagedRecordKey(record);
    const parked = await store.agenda.deadLetters();
    const stopped = parked.filter(({ reason }) =>
      reason.includes(`stored ${describeRecordName(record)} can`),
    );
    const now = clock.now();
    const keys = [own, ...stopped.map(({ key }) => key), ...(await keysOf(store, record))];
    const audit = { at: now, event: 'record.restored', subject: describeRecordName(record) };
    await store.audit.append([{ ...audit, actor: 'countersign', detail: {} }]);
    await store.agenda.wake(keys.map((key) => ({ key, dueAt: now })));
    log.info(
      { record: describeRecordName(record) },
      'A damaged record can be read again; its work goes on.',
    );
  }

  return {
    note(error) {
      const { record } = error;
      leftOut.add(encodeRecordName(record));
      plan(record).catch((cause: unknown) => {
        log.error({ err: cause, record }, 'A damaged record could not be put in quarantine.');
      });
    },

    async look(id) {
      const record = decodeRecordName(id);
      if (!record || !(await isDamaged(record))) return;
      throw new DamagedRecordError('it is damaged', { record });
    },

    async notifyDamaged({ key }, error) {
      if (!(error instanceof DamagedRecordError)) return;
      const { record } = error;
      if (key.task !== 'damaged') return await plan(record);
      const now = clock.now();
      const name = describeRecordName(record);
      log.error(
        { alarm: 'damaged_record', record: name, thread: record.thread },
        'A stored record is damaged: it is left alone until it is restored from a backup.',
      );
      const audit = { at: now, event: 'record.quarantine', subject: name, actor: 'countersign' };
      const detail = record.thread === undefined ? {} : { thread: record.thread };
      await store.audit.append([{ ...audit, detail }]);
      await notifyAdmins(name, now);
    },

    async release() {
      for (const { record } of await listQuarantined(store)) {
        if (!(await isDamaged(record))) await release(record);
      }
    },
  };

  async function notifyAdmins(name: string, now: number): Promise<void> {
    const { team } = deps;
    if (team === undefined) return;
    const outboxMessages = [...admins].map(
      (user): OutboxMessage => ({
        id: `damaged:${name}:${now}:${user}`,
        thread: channelKey({ team, channel: user }),
        kind: 'private',
        to: { team, user },
        isDirect: true,
        text: `:rotating_light: ${describeDamagedRecord(name)}`,
        createdAt: now,
      }),
    );
    const wakes = outboxMessages.map(({ thread }) => ({
      key: deliverOutboxKey(thread),
      dueAt: now,
    }));
    if (outboxMessages.length > 0) await store.outbox.add(outboxMessages, wakes);
  }
}

/** Says of a record what it means that it is damaged. */
function describeDamagedRecord(name: string): string {
  return `The stored ${name} is damaged. Nothing is done with it and nothing of it runs; all else goes on. Restore it from a backup.`;
}

/** As much as a person looks back on. */
const MAX_TURNS = 10_000;

/** How a record of each kind is read where it was found damaged. */
const READ_AGAIN: Readonly<
  Record<RecordKind, (store: Store, record: RecordName) => Promise<unknown> | undefined>
> = {
  call: (store, { id }) => store.ledger.get(id),
  // Another message of the thread may be damaged, too: that must not hide this one.
  message: async (store, { thread }) => {
    if (!thread) return;
    await store.inbox.waiting(thread);
    await store.inbox.current(thread);
  },
  say: (store, { thread }) => (thread ? store.outbox.pendingMessages(thread) : undefined),
  history: (store, { thread }) => (thread ? store.history.newest(thread, MAX_TURNS, 0) : undefined),
  turn: (store, { id, thread }) => (thread ? store.records.ofTurn(thread, id) : undefined),
  live: (store, { thread }) => (thread ? store.outbox.liveMessageOf(thread) : undefined),
  place: (store, { id }) => Promise.all([store.ledger.cardOf(id), store.ledger.sideMessagesOf(id)]),
  bulletin: (store, { id }) => store.bulletins.read(id),
  report: (store, { id }) => store.reports.of(id),
  pause: (store) => store.pause.read(),
  routes: (store) => store.routes.read(),
  pin: (store) => store.pins.all(),
  key: (store, { id }) => (id === '' ? store.keys.list() : store.keys.get(id)),
};

/** What may have stood still for a record without being parked. */
async function keysOf(store: Store, { kind, id, thread }: RecordName): Promise<AgendaKey[]> {
  if (kind === 'message' && thread) return [advanceTurnKey(thread), threadCommandsKey(thread)];
  if (kind === 'say' && thread) return [deliverOutboxKey(thread)];
  if (kind === 'turn' && thread) return [advanceTurnKey(thread)];
  const call = kind === 'call' ? await store.ledger.get(id) : undefined;
  return call
    ? [advanceTurnKey(call.thread), ...[runCallKey, renderCardKey].map((of) => of(call))]
    : [];
}
