/** Looks at a chain entry by entry, in memory that does not grow with it. */
import { AUDIT_GENESIS, type AuditEntry, isHashOfItself } from './audit.ts';
import { isGenuine, isRemoval, isSealed, placeNamed } from './audit-notes.ts';
import type { Seal } from './seal.ts';

/** An entry as it is stored, or why it can't be read as one. */
export type AuditLine =
  | { readonly kind: 'entry'; readonly entry: AuditEntry }
  | { readonly kind: 'unreadable'; readonly seq: number; readonly why: string };

export type AuditFaultKind =
  /** It can't be read as an entry. */
  | 'unreadable'
  /** Its hash is not that of its content. */
  | 'changed'
  /** Entries before it are gone, and no note of ours says so. */
  | 'missing'
  /** Its number does not follow. */
  | 'order'
  /** It was written after another entry than the one that stands before it. */
  | 'replaced'
  /** It says that it was made with the installation's key, and was not. */
  | 'forged'
  /** It seals an entry that had another content then. */
  | 'unlike-its-seal'
  /** Entries after the last one are gone. */
  | 'cut';

/** Where a chain breaks first. */
export interface AuditFault {
  readonly kind: AuditFaultKind;
  /** The number of the entry; of a missing one where entries are gone. */
  readonly seq: number;
  /** The entry that does not fit; absent where there is none. */
  readonly entry?: AuditEntry;
  /** The last of several that are gone. */
  readonly through?: number;
}

/** What a look at the whole chain came to. */
export interface AuditReport {
  /** Entries that were found to fit. */
  readonly checked: number;
  readonly first?: AuditEntry;
  readonly last?: AuditEntry;
  /** The note that says what was removed before the first entry. */
  readonly removal?: AuditEntry;
  /** The newest entry that was sealed, and the entry that seals it. */
  readonly sealed?: { readonly through: number; readonly by: AuditEntry };
  /** Entries that claim a seal, where there was no key to check them with. */
  readonly unproven: number;
  readonly fault?: AuditFault;
}

export interface AuditCheck {
  take(line: AuditLine): void;
  /** `newest` is the number of the entry that was appended last, as the store remembers it apart from the chain. */
  end(newest: number): AuditReport;
}

/** Entries that a removal may account for. */
interface Gap {
  readonly fault: AuditFault;
  readonly through: number;
  /** Of the last one that is gone. */
  readonly hash: string;
}

/** A seal speaks of an entry that was the newest a moment before. */
const REMEMBERED = 5_000;

/** Begins a check; without a key the seals are counted, and not believed. */
export function createAuditCheck(seal: Seal | undefined): AuditCheck {
  const hashes = new Map<number, string>();
  let gaps: Gap[] = [];
  let next = { seq: 1, previous: AUDIT_GENESIS };
  let report: AuditReport = { checked: 0, unproven: 0 };

  function fail(fault: AuditFault): void {
    report = { ...report, fault: report.fault ?? fault };
  }

  /** Why an entry does not follow those before it; undefined when it does, or a removal may be the reason that it does not. */
  function faultOf(entry: AuditEntry): AuditFaultKind | undefined {
    if (!isHashOfItself(entry)) return 'changed';
    if (!Number.isSafeInteger(entry.seq) || entry.seq < next.seq) return 'order';
    if (entry.seq === next.seq && entry.previous !== next.previous) return 'replaced';
    return seal && isSealed(entry) ? judgeSeal(entry, seal) : undefined;
  }

  function judgeSeal(entry: AuditEntry, key: Seal): 'forged' | 'unlike-its-seal' | undefined {
    if (!isGenuine(entry, key)) return 'forged';
    const place = isRemoval(entry) ? undefined : placeNamed(entry);
    const hash = place && hashes.get(place.seq);
    return hash !== undefined && hash !== place?.hash ? 'unlike-its-seal' : undefined;
  }

  function accept(entry: AuditEntry): void {
    if (entry.seq > next.seq) {
      const through = entry.seq - 1;
      const fault: AuditFault = { kind: 'missing', seq: next.seq, through };
      gaps.push({ fault, through, hash: entry.previous });
    }
    hashes.set(entry.seq, entry.hash);
    hashes.delete(entry.seq - REMEMBERED);
    next = { seq: entry.seq + 1, previous: entry.hash };
    const { checked, first = entry } = report;
    report = { ...report, checked: checked + 1, first, last: entry };
    if (isSealed(entry)) heed(entry);
  }

  /** What an entry that was made with the key says of the others. */
  function heed(entry: AuditEntry): void {
    if (!seal) report = { ...report, unproven: report.unproven + 1 };
    const place = placeNamed(entry);
    if (!place) return;
    if (seal && hashes.get(place.seq) === place.hash) {
      report = { ...report, sealed: { through: place.seq, by: entry } };
    }
    if (isRemoval(entry)) fillGap(entry, place);
  }

  function fillGap(note: AuditEntry, place: { readonly seq: number; readonly hash: string }): void {
    const left = gaps.filter(({ hash, through }) => through !== place.seq || hash !== place.hash);
    if (left.length < gaps.length) report = { ...report, removal: note };
    gaps = left;
  }

  /** After a break entries are read only for what they say of a removal before it. */
  function takeAfterFault(entry: AuditEntry): void {
    if (!isRemoval(entry) || !seal || !isGenuine(entry, seal)) return;
    const place = placeNamed(entry);
    if (place) fillGap(entry, place);
  }

  return {
    take(line) {
      if (line.kind === 'unreadable') {
        fail({ kind: 'unreadable', seq: line.seq });
        return;
      }
      const { entry } = line;
      if (report.fault) {
        takeAfterFault(entry);
        return;
      }
      const kind = faultOf(entry);
      if (kind) fail({ kind, seq: entry.seq, entry });
      else accept(entry);
    },
    end(newest) {
      const [gap] = gaps;
      // What is gone from the middle comes before whatever else does not fit.
      if (gap) return { ...report, fault: gap.fault };
      if (!report.fault && newest >= next.seq) {
        fail({ kind: 'cut', seq: next.seq, through: newest });
      }
      return report;
    },
  };
}
