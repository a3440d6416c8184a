/**
 * The audit over records. Each entry carries a mark (HMAC) that was made with the installation's key
 * before its commit, which numbers it. Chaining is a task of its own: it hashes the entries in their
 * order and puts its own mark on the newest hash. So an entry without a seal can be lost, and none
 * can be rewritten or put in by somebody without the key.
 */
import { createHash } from 'node:crypto';
import { AUDIT_GENESIS, type AuditDraft } from '../../domain/audit.ts';
import { canonicalJson, type JsonValue, readStoredJson } from '../../domain/json.ts';
import type { Seal } from '../../domain/seal.ts';
import type { AuditRow, Commit, RecordChange, Records } from '../records/records.ts';
import { changeRecords, type RecordKind, readOne } from './change-records.ts';

/** An entry with its number. */
export interface NumberedEntry extends AuditDraft {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Of the record that it is about, after its commit; absent where it changed none. */
  readonly revision?: number;
}

/** A place in the chain: the hash covers every entry up to it. */
interface Place {
  readonly seq: number;
  readonly hash: string;
}

/** How far the chain reaches. */
interface Chain {
  /** The last entry that was removed. */
  readonly removed: Place;
  readonly through: Place;
}

export type AuditFault =
  /** It is no entry, or was not made with the key. */
  | { readonly kind: 'not-genuine'; readonly seq: number }
  | { readonly kind: 'missing'; readonly seq: number }
  /** The entries up to this one are genuine, and not those that were sealed. */
  | { readonly kind: 'unlike-its-seal'; readonly seq: number }
  /** What says how far the chain reaches was not made with the key. */
  | { readonly kind: 'forged-seal'; readonly seq: 0 };

/** What a look at all entries came to. */
export interface AuditFindings {
  readonly checked: number;
  /** The first entry that is there is the next one. */
  readonly removedThrough: number;
  /** Entries after this one can be lost without a trace. */
  readonly sealedThrough: number;
  readonly fault?: AuditFault;
}

type Walked =
  | { readonly kind: 'entry'; readonly entry: NumberedEntry; readonly place: Place }
  | Extract<AuditFault, { kind: 'missing' | 'not-genuine' }>;

const CHAIN_ID = 'chain';
const FIRST: Chain = {
  removed: { seq: 0, hash: AUDIT_GENESIS },
  through: { seq: 0, hash: AUDIT_GENESIS },
};
/** The event loop turns after so many. */
const PAGE = 1_000;

/** Marks the entries of each commit on their way to a backend. */
export function markAudit(records: Records, seal: Seal): Records {
  return {
    ...records,
    commit: (commit) => records.commit(marked(commit, seal)),
  };
}

function marked({ audit, ...commit }: Commit, seal: Seal): Commit {
  if (audit === undefined) return commit;
  return { ...commit, audit: audit.map((text) => markEntry(text, commit.records ?? [], seal)) };
}

function markEntry(text: string, changes: readonly RecordChange[], seal: Seal): string {
  const draft = readStoredJson(text) as { readonly [name: string]: JsonValue };
  const change = changes.find(({ key }) => key.slice(key.indexOf('/') + 1) === draft.subject);
  const revision = change !== undefined && 'document' in change ? change.replaces + 1 : undefined;
  const entry = revision === undefined ? text : canonicalJson({ ...draft, revision });
  return JSON.stringify({ entry, mark: seal(`entry\0${entry}`) });
}

/** Returns an entry that was made with the key; undefined for anything else. */
function readEntry(text: string, seq: number, seal: Seal): NumberedEntry | undefined {
  const { entry, mark } = (readStoredJson(text) ?? {}) as { entry?: unknown; mark?: unknown };
  if (typeof entry !== 'string' || mark !== seal(`entry\0${entry}`)) return undefined;
  return { ...(readStoredJson(entry) as unknown as AuditDraft), seq };
}

function follow({ hash }: Place, seq: number, text: string): Place {
  const next = createHash('sha256').update(`${hash}\n${seq}\n${text}`).digest('hex');
  return { seq, hash: next };
}

/** Makes the audit of an installation; `records` marks what it commits. */
export function createSealedAudit(records: Records, seal: Seal) {
  const CHAIN: RecordKind<Chain | 'forged'> = {
    name: 'audit',
    entriesOf: () => [],
    read(document) {
      const { chain, mark } = (readStoredJson(document) ?? {}) as {
        chain?: Chain;
        mark?: unknown;
      };
      const isOurs = chain !== undefined && mark === markOf(chain);
      return isOurs ? chain : 'forged';
    },
    write: (chain) => JSON.stringify(chain === 'forged' ? {} : { chain, mark: markOf(chain) }),
  };

  function markOf({ removed, through }: Chain): string {
    const facts = [removed.seq, removed.hash, through.seq, through.hash];
    return seal(`chain\0${canonicalJson(facts)}`);
  }

  /** What one row makes of the chain that has come to a place. */
  function step(place: Place, { entry: text, seq }: AuditRow): Walked {
    if (seq !== place.seq + 1) return { kind: 'missing', seq: place.seq + 1 };
    const entry = readEntry(text, seq, seal);
    if (entry === undefined) return { kind: 'not-genuine', seq };
    return { kind: 'entry', entry, place: follow(place, seq, text) };
  }

  /** The rows after a number, a page at a time. */
  async function* rowsAfter(seq: number): AsyncGenerator<AuditRow> {
    for (let from = seq + 1; ; ) {
      const rows = await records.audit(from, PAGE);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      from = last.seq + 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Walks over the entries after a place, with what each of them makes of the chain; ends with the first that does not follow. */
  async function* walk(after: Place): AsyncGenerator<Walked> {
    let place = after;
    for await (const row of rowsAfter(after.seq)) {
      const walked = step(place, row);
      yield walked;
      if (walked.kind !== 'entry') return;
      place = walked.place;
    }
    if ((await records.newestAudit()) > place.seq) yield { kind: 'missing', seq: place.seq + 1 };
  }

  /** The last sealed entry that is older than a time (ms), with those before it. */
  async function lastOlder({ removed, through }: Chain, before: number): Promise<Place> {
    let last = removed;
    for await (const walked of walk(removed)) {
      const isOld = walked.kind === 'entry' && walked.entry.at < before;
      if (!isOld || walked.place.seq > through.seq) break;
      last = walked.place;
    }
    return last;
  }

  async function chainNow(): Promise<Chain | 'forged'> {
    return (await readOne(records, CHAIN, CHAIN_ID)) ?? FIRST;
  }

  /** Writes how far the chain reaches, unless another process was first. */
  async function write(from: Chain, to: Chain, more: Partial<Commit> = {}): Promise<void> {
    await changeRecords(records, async (draft) => {
      const stored = (await draft.read(CHAIN, CHAIN_ID)) ?? FIRST;
      const isSame = stored !== 'forged' && markOf(stored) === markOf(from);
      if (!isSame) return;
      await draft.put(CHAIN, CHAIN_ID, to);
      draft.audit(more.audit ?? []);
      if (more.trimAudit !== undefined) draft.trimAudit(more.trimAudit);
    });
  }

  return {
    /** Entries from `seq` on; those that are not genuine are left out. */
    async read(seq: number, limit: number): Promise<readonly NumberedEntry[]> {
      const rows = await records.audit(seq, limit);
      return rows.flatMap((row) => readEntry(row.entry, row.seq, seal) ?? []);
    },

    /** Chains and seals what was appended since; answers what it refuses to seal, and does not go on after that. */
    async sealUp(): Promise<AuditFault | undefined> {
      const chain = await chainNow();
      if (chain === 'forged') return { kind: 'forged-seal', seq: 0 };
      let { through } = chain;
      let fault: AuditFault | undefined;
      for await (const step of walk(through)) {
        if (step.kind === 'entry') through = step.place;
        else fault = step;
      }
      if (through.seq > chain.through.seq) await write(chain, { ...chain, through });
      return fault;
    },

    /** Removes sealed entries that are older than a time (ms); answers how many. */
    async removeOlder(before: number, now: number): Promise<number> {
      const chain = await chainNow();
      if (chain === 'forged') return 0;
      const removed = await lastOlder(chain, before);
      const count = removed.seq - chain.removed.seq;
      if (count === 0) return 0;
      const detail = { before, count, hash: removed.hash, through: removed.seq };
      const note = {
        at: now,
        event: 'audit.remove',
        subject: 'audit',
        actor: 'countersign',
        detail,
      };
      const more = { audit: [canonicalJson(note)], trimAudit: removed.seq };
      await write(chain, { ...chain, removed }, more);
      return count;
    },

    /** Looks at every entry that is there. */
    async check(): Promise<AuditFindings> {
      const chain = await chainNow();
      if (chain === 'forged') {
        const fault = { kind: 'forged-seal', seq: 0 } as const;
        return { checked: 0, removedThrough: 0, sealedThrough: 0, fault };
      }
      const { removed, through } = chain;
      const facts = { removedThrough: removed.seq, sealedThrough: through.seq };
      let checked = 0;
      for await (const step of walk(removed)) {
        if (step.kind !== 'entry') return { ...facts, checked, fault: step };
        const { hash, seq } = step.place;
        const isUnlike = seq === through.seq && hash !== through.hash;
        if (isUnlike) return { ...facts, checked, fault: { kind: 'unlike-its-seal', seq } };
        checked += 1;
      }
      return { ...facts, checked };
    },
  };
}
