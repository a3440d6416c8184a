/** The audit. Entries are marked on their way to the backend; the chain that seals them is one record. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AuditChain,
  type AuditDraft,
  type AuditPosition,
  NO_CHAIN,
  readAuditChain,
  readAuditLine,
  writeAuditChain,
  writeAuditEntry,
} from '../../domain/audit/audit.ts';
import {
  type AuditCheck,
  type AuditReport,
  createAuditCheck,
} from '../../domain/audit/audit-check.ts';
import type { Seal } from '../../domain/calls/seal.ts';
import { readStoredJson } from '../../domain/json/json.ts';
import type { Audit } from '../../domain/ports/store.ts';
import type { AuditRow, RecordChange, Records } from '../records.ts';
import { type CommitDraft, changeRecords } from './documents/change-records.ts';
import { appendAudit } from './documents/effects.ts';
import { type RecordKind, readOne } from './documents/read-records.ts';

/** Marks the audit entries of each commit; `seal` is read on first use. */
export function markAudit(records: Records, seal: () => Promise<Seal>): Records {
  return {
    ...records,
    async commit(commit, onWritten) {
      const { audit, records: changes = [] } = commit;
      if (!audit?.length) return await records.commit(commit, onWritten);
      const made = await seal();
      const marked = audit.map((text) => markEntry(text, changes, made));
      return await records.commit({ ...commit, audit: marked }, onWritten);
    },
  };
}

function markEntry(text: string, changes: readonly RecordChange[], seal: Seal): string {
  const draft = readStoredJson(text) as unknown as AuditDraft;
  const change = changes.find(({ key }) => key.slice(key.indexOf('/') + 1) === draft.subject);
  const revision = change !== undefined && 'document' in change ? change.replaces + 1 : undefined;
  return writeAuditEntry(draft, revision, seal);
}

const CHAIN_ID = 'chain';

/** How far the chain reaches; `forged` if its signature is wrong. */
function chainKind(seal: Seal | undefined): RecordKind<AuditChain | 'forged'> {
  return {
    name: 'audit',
    entriesOf: () => [],
    read: (document) => readAuditChain(document, seal),
    write(chain) {
      if (chain === 'forged' || !seal)
        throw new Error('A forged or unsealed audit chain can’t be written.');
      return writeAuditChain(chain, seal);
    },
  };
}

/** Rows per page; the event loop runs between pages. */
const PAGE = 1_000;

/** The rows after a number, page by page. */
export async function* rowsAfter(
  records: Pick<Records, 'audit'>,
  seq: number,
): AsyncGenerator<readonly AuditRow[]> {
  for (let from = seq + 1; ; ) {
    const rows = await records.audit(from, PAGE);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < PAGE) return;
    from = last.seq + 1;
    await nextTurn();
  }
}

async function walk(
  records: Pick<Records, 'audit'>,
  check: AuditCheck,
  isEnd: (row: AuditRow) => boolean = () => false,
): Promise<void> {
  for await (const rows of rowsAfter(records, check.place().seq)) {
    for (const row of rows) {
      if (isEnd(row)) return;
      check.take(row.seq, row.entry);
      if (check.isBroken()) return;
    }
  }
}

/** Checks every entry; without a key it can't verify who wrote them. */
export async function checkAudit(
  records: Pick<Records, 'audit' | 'get' | 'newestAudit'>,
  seal: Seal | undefined,
): Promise<AuditReport> {
  for (;;) {
    // Read first, so that entries added or sealed meanwhile don't count as missing.
    const newest = await records.newestAudit();
    const chain = await readChain(records, seal);
    const check = createAuditCheck(chain, seal);
    await walk(records, check);
    const report = check.end(newest);
    if (!report.fault || (await removedThrough(records)) === report.removedThrough) return report;
    // The app removed entries meanwhile: check again.
  }
}

async function removedThrough(records: Pick<Records, 'get'>): Promise<number> {
  const chain = await readChain(records, undefined);
  return chain === 'forged' ? 0 : chain.removed.seq;
}

/** Writes how far the chain reaches. Returns false if another process changed it first. */
async function replaceChain(
  records: Records,
  seal: Seal,
  { from, to }: { readonly from: AuditChain; readonly to: AuditChain },
  more: (draft: CommitDraft) => void = () => {},
): Promise<boolean> {
  const kind = chainKind(seal);
  return await changeRecords(records, async (draft) => {
    const stored = (await draft.read(kind, CHAIN_ID)) ?? NO_CHAIN;
    const isSame =
      stored !== 'forged' && writeAuditChain(stored, seal) === writeAuditChain(from, seal);
    if (!isSame) return false;
    await draft.put(kind, CHAIN_ID, to);
    more(draft);
    return true;
  });
}

async function readChain(
  records: Pick<Records, 'get'>,
  seal: Seal | undefined,
): Promise<AuditChain | 'forged'> {
  return (await readOne(records, chainKind(seal), CHAIN_ID)) ?? NO_CHAIN;
}

/** Position of the last sealed entry before a time (ms). */
async function lastOlder(
  records: Records,
  seal: Seal,
  { before, chain }: { readonly chain: AuditChain; readonly before: number },
): Promise<AuditPosition> {
  const check = createAuditCheck(chain, seal);
  await walk(records, check, ({ entry, seq }) => {
    const line = readAuditLine(entry, seq, undefined);
    return seq > chain.through.seq || line.kind !== 'entry' || line.entry.at >= before;
  });
  return check.place();
}

/** Creates an installation's audit; `records` must mark what it commits. */
export function createSealedAudit(records: Records, seal: () => Promise<Seal>): Audit {
  return {
    async append(drafts) {
      await changeRecords(records, async (draft) => appendAudit(draft, drafts));
    },

    async read(seq, limit) {
      const made = await seal();
      const rows = await records.audit(seq, limit);
      return rows.flatMap((row) => {
        const line = readAuditLine(row.entry, row.seq, made);
        return line.kind === 'entry' ? [line.entry] : [];
      });
    },

    newest: () => records.newestAudit(),

    async seal(now) {
      const made = await seal();
      const chain = await readChain(records, made);
      const newest = await records.newestAudit();
      if (chain !== 'forged' && newest === chain.through.seq) return undefined;
      const after = chain === 'forged' ? undefined : chain.through;
      const check = createAuditCheck(chain, made, after);
      await walk(records, check);
      const through = check.place();
      if (chain !== 'forged' && through.seq > chain.through.seq) {
        await replaceChain(records, made, {
          from: chain,
          to: { ...chain, through, sealedAt: now },
        });
      }
      return check.end(newest).fault;
    },

    check: async () => await checkAudit(records, await seal()),

    async removeOlder(before, now) {
      const made = await seal();
      const chain = await readChain(records, made);
      if (chain === 'forged') return 0;
      const removed = await lastOlder(records, made, { chain, before });
      const count = removed.seq - chain.removed.seq;
      if (count === 0) return 0;
      const note: AuditDraft = {
        ...{ at: now, event: 'audit.remove', subject: 'audit', actor: 'countersign' },
        detail: { before, count, through: removed.seq },
      };
      const to = { ...chain, removed };
      const isDone = await replaceChain(records, made, { from: chain, to }, (draft) => {
        appendAudit(draft, [note]);
        draft.trimAudit(removed.seq);
      });
      return isDone ? count : 0;
    },
  };
}
