import type { AuditEntry } from '../../../src/domain/audit/audit.ts';
import type { Call, CallStatus, CardPlace } from '../../../src/domain/calls/call.ts';
import { TRANSITIONS } from '../../../src/domain/calls/transitions.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import type { SettledTurn } from '../../../src/domain/threads/message.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import type { ThreadKey } from '../../../src/domain/threads/thread-key.ts';
import type { StoreDump } from '../record.ts';

const PAGE = 500;
const STATUSES: ReadonlySet<CallStatus> = new Set(TRANSITIONS.map(([, to]) => to));

/** Reads everything that a store contains of its runs, through its ports. */
export async function dumpStore(store: Store): Promise<Omit<StoreDump, 'n' | 'at' | 'when'>> {
  const audit = await readAudit(store);
  const { fault: auditFault } = await store.audit.check();
  const calls: Call[] = [];
  for (const status of STATUSES) calls.push(...(await store.ledger.withStatus(status)));
  const places: Record<string, CardPlace> = {};
  for (const { id } of calls) {
    const place = await store.ledger.cardOf(id);
    if (place) places[id] = place;
  }
  const turns: Record<string, readonly SettledTurn[]> = {};
  const unsaid: OutboxMessage[] = [];
  for (const thread of threadsIn(audit)) {
    turns[thread] = await store.history.newest(thread, PAGE, 0);
    unsaid.push(...(await store.outbox.pendingMessages(thread)));
  }
  const open: string[] = [];
  for (const thread of await store.inbox.threadsWithMessages()) {
    const current = await store.inbox.current(thread);
    const waiting = await store.inbox.waiting(thread);
    open.push(...[...(current ? [current] : []), ...waiting].map(({ id }) => id));
  }
  return {
    calls,
    places,
    audit,
    auditFault,
    turns,
    open,
    unsaid,
    parked: await store.agenda.deadLetters(),
  };
}

async function readAudit(store: Store): Promise<readonly AuditEntry[]> {
  const all: AuditEntry[] = [];
  for (;;) {
    const page = await store.audit.read(all.length + 1, PAGE);
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

function threadsIn(audit: readonly AuditEntry[]): ReadonlySet<ThreadKey> {
  const threads = audit
    .filter(({ event }) => event === 'message.receive')
    .map(({ detail }) => String(detail.thread) as ThreadKey);
  return new Set(threads);
}
