/**
 * Quarantine of stored records that can't be read. Each gets a task that is tried three times and
 * then becomes a dead letter. The record is neither used nor overwritten, so that it works again
 * once restored.
 */

import {
  DamagedRecordError,
  decodeRecordName,
  describeRecordName,
  encodeRecordName,
  type RecordLabel,
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

/** A damaged record that waits to be restored. */
export interface QuarantinedRecord {
  readonly record: RecordName;
  /** When it was quarantined (ms since 1970). */
  readonly at: number;
}

export interface Quarantine {
  /** Schedules a check of a damaged record; failures are logged. */
  note(error: DamagedRecordError): void;
  /** Rejects while the named record is damaged. */
  checkRecord(id: string): Promise<void>;
  /** Called before a task becomes a dead letter: reports its damaged record, once. */
  notifyDamaged(lease: Lease, error: unknown): Promise<void>;
  /** Resumes work on records that can be read again. */
  release(): Promise<void>;
}

/** Lists the quarantined records, oldest first. */
export async function listQuarantined({
  agenda,
}: Pick<Store, 'agenda'>): Promise<readonly QuarantinedRecord[]> {
  return (await agenda.deadLetters()).flatMap(({ key, at }) => {
    const record = key.task === 'damaged' ? decodeRecordName(key.id) : undefined;
    return record ? [{ record, at }] : [];
  });
}

/** Warns the operator about damaged records; the app keeps running. */
export function warnOfQuarantine({ length }: readonly QuarantinedRecord[]): readonly string[] {
  if (length === 0) return [];
  const which = length === 1 ? 'One stored record is' : `${length} stored records are`;
  return [
    `${which} damaged and not used. The log and the audit name it; restore it from a backup.`,
  ];
}

type QuarantineDeps = Pick<DeskDeps, 'store' | 'clock' | 'log' | 'admins' | 'team'>;

/** Creates the quarantine of one process; its content is stored. */
export function createQuarantine(deps: QuarantineDeps): Quarantine {
  const { store, log } = deps;
  /** Records that lists have skipped; updated by each read. */
  const skipped = new Set<string>();

  async function isDamaged(record: RecordName): Promise<boolean> {
    const name = encodeRecordName(record);
    skipped.delete(name);
    // A newer version may have quarantined a kind that this one does not know.
    if (!Object.hasOwn(READERS, record.kind)) return true;
    try {
      await READERS[record.kind](store, record);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      if (encodeRecordName(error.record) === name) return true;
    }
    return skipped.has(name);
  }

  return {
    note(error) {
      const { record } = error;
      skipped.add(encodeRecordName(record));
      schedule(deps, record).catch((cause: unknown) => {
        log.error({ err: cause, record }, 'Could not quarantine a damaged record.');
      });
    },

    async checkRecord(id) {
      const record = decodeRecordName(id);
      if (!record || !(await isDamaged(record))) return;
      throw new DamagedRecordError('it is damaged', { record });
    },

    async notifyDamaged({ key }, error) {
      if (!(error instanceof DamagedRecordError)) return;
      const { record } = error;
      if (key.task !== 'damaged') return await schedule(deps, record);
      await report(deps, record);
    },

    async release() {
      for (const { record } of await listQuarantined(store)) {
        if (!(await isDamaged(record))) await release(deps, record);
      }
    },
  };
}

async function schedule({ store, clock }: QuarantineDeps, record: RecordName): Promise<void> {
  const key = damagedRecordKey(record);
  // A record that is already due or quarantined stays as it is.
  if ((await store.agenda.unscheduled([key])).length === 0) return;
  await store.agenda.wake([{ key, dueAt: clock.now() }]);
}

async function report(deps: QuarantineDeps, record: RecordName): Promise<void> {
  const { store, clock, log } = deps;
  const now = clock.now();
  const name = describeRecordName(record);
  log.error(
    { alarm: 'damaged_record', record: name, thread: record.thread },
    'A stored record is damaged. It is not used until it is restored from a backup.',
  );
  const audit = { at: now, event: 'record.quarantine', subject: name, actor: 'countersign' };
  const detail = record.thread === undefined ? {} : { thread: record.thread };
  await store.audit.append([{ ...audit, detail }]);
  await notifyAdmins(deps, name, now);
}

async function notifyAdmins(
  { store, team, admins = new Set() }: QuarantineDeps,
  name: string,
  now: number,
): Promise<void> {
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

/** Describes a damaged record and what it means. */
function describeDamagedRecord(name: string): string {
  return `The stored ${name} is damaged. I don’t use it and nothing of it runs; everything else works. Restore it from a backup.`;
}

/** Resumes the work that the record has held up. */
async function release({ store, clock, log }: QuarantineDeps, record: RecordName): Promise<void> {
  const own = damagedRecordKey(record);
  const parked = await store.agenda.deadLetters();
  const blocked = parked.filter(({ reason }) =>
    reason.includes(`stored ${describeRecordName(record)} can`),
  );
  const now = clock.now();
  const keys = [own, ...blocked.map(({ key }) => key), ...(await keysOf(store, record))];
  const audit = { at: now, event: 'record.restored', subject: describeRecordName(record) };
  await store.audit.append([{ ...audit, actor: 'countersign', detail: {} }]);
  await store.agenda.wake(keys.map((key) => ({ key, dueAt: now })));
  log.info(
    { record: describeRecordName(record) },
    'A damaged record can be read again; resuming its work.',
  );
}

/** More turns than anyone reads back. */
const MAX_TURNS = 10_000;

/** How a damaged record of each kind is read again. */
const READERS: Readonly<
  Record<RecordLabel, (store: Store, record: RecordName) => Promise<unknown> | undefined>
> = {
  call: (store, { id }) => store.ledger.get(id),
  // Both reads are needed: another damaged message of the thread must not hide this one.
  message: async (store, { thread }) => {
    if (!thread) return;
    await store.inbox.waiting(thread);
    await store.inbox.current(thread);
  },
  say: (store, { thread }) => (thread ? store.outbox.pendingMessages(thread) : undefined),
  history: (store, { thread }) => (thread ? store.history.newest(thread, MAX_TURNS, 0) : undefined),
  turn: (store, { id, thread }) => (thread ? store.turnRecords.ofTurn(thread, id) : undefined),
  live: (store, { thread }) => (thread ? store.outbox.liveMessageOf(thread) : undefined),
  place: (store, { id }) => Promise.all([store.ledger.cardOf(id), store.ledger.sideMessagesOf(id)]),
  bulletin: (store, { id }) => store.digestMessages.read(id),
  report: (store, { id }) => store.reports.of(id),
  pause: (store) => store.pause.read(),
  routes: (store) => store.routes.read(),
  pin: (store) => store.pins.all(),
  key: (store, { id }) => (id === '' ? store.keys.list() : store.keys.get(id)),
  draft: (store, { id }) => store.drafts.read(id),
  groups: (store, { id }) => store.ledger.groupsAskedToDecide(id),
  task: (store) => store.agenda.deadLetters(),
  // No port reads a single one of these.
  decision: () => undefined,
  thread: () => undefined,
  check: () => undefined,
};

/** Tasks that the record may have held up without becoming dead letters. */
async function keysOf(store: Store, { kind, id, thread }: RecordName): Promise<AgendaKey[]> {
  if (kind === 'message' && thread) return [advanceTurnKey(thread), threadCommandsKey(thread)];
  if (kind === 'say' && thread) return [deliverOutboxKey(thread)];
  if (kind === 'turn' && thread) return [advanceTurnKey(thread)];
  const call = kind === 'call' ? await store.ledger.get(id) : undefined;
  return call
    ? [advanceTurnKey(call.thread), ...[runCallKey, renderCardKey].map((of) => of(call))]
    : [];
}
