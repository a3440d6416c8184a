/** Checks an audit log entry by entry, in constant memory. */

import type { Seal } from '../calls/seal.ts';
import {
  type AuditChain,
  type AuditEntry,
  type AuditPosition,
  NO_CHAIN,
  nextAuditPlace,
  readAuditLine,
} from './audit.ts';

export type AuditFaultKind =
  /** Not readable as an entry. */
  | 'unreadable'
  /** The content does not match its mark. */
  | 'changed'
  /** Earlier entries are missing, and the app did not remove them. */
  | 'missing'
  /** The entries up to this one are genuine, but differ from the sealed chain. */
  | 'unlike-its-seal'
  /** The chain's own seal was not made with the key. */
  | 'forged-seal'
  /** Entries at the end are missing. */
  | 'cut';

/** The first fault of an audit log. */
export interface AuditFault {
  readonly kind: AuditFaultKind;
  /** Number of the faulty entry, or of the first missing one. */
  readonly seq: number;
  /** The faulty entry; absent if entries are missing or unreadable. */
  readonly entry?: AuditEntry;
  /** Number of the last missing entry. */
  readonly through?: number;
}

/** The result of checking a whole audit log. */
export interface AuditReport {
  /** Number of valid entries. */
  readonly checked: number;
  readonly first?: AuditEntry;
  readonly last?: AuditEntry;
  /** The app removed entries up to this number; 0 if none. */
  readonly removedThrough: number;
  /** Entries after this number could be lost unnoticed. */
  readonly sealedThrough: number;
  /** When that was sealed (ms). */
  readonly sealedAt: number;
  readonly fault?: AuditFault;
}

export interface AuditCheck {
  /** Checks the next stored entry. */
  take(seq: number, text: string): void;
  /** The chain's current position. */
  place(): AuditPosition;
  /** Whether a fault was found. Later entries are then skipped. */
  isBroken(): boolean;
  /**
   * Finishes the check. `newest`: the last number the store assigned, recorded apart from the
   * entries.
   */
  end(newest: number): AuditReport;
}

/**
 * Starts a check after a chain position (default: the last removed entry). Without a key,
 * authorship is not verified.
 */
export function createAuditCheck(
  chain: AuditChain | 'forged',
  seal: Seal | undefined,
  after?: AuditPosition,
): AuditCheck {
  const { removed, sealedAt, through } = chain === 'forged' ? NO_CHAIN : chain;
  let place = after ?? removed;
  let report: AuditReport = {
    ...{ checked: 0, removedThrough: removed.seq, sealedThrough: through.seq, sealedAt },
    ...(chain === 'forged' && { fault: { kind: 'forged-seal', seq: 0 } }),
  };

  function fail(fault: AuditFault): void {
    report = { ...report, fault: report.fault ?? fault };
  }

  function accept(entry: AuditEntry, text: string): void {
    place = nextAuditPlace(place, entry.seq, text);
    if (entry.seq === through.seq && place.hash !== through.hash) {
      fail({ kind: 'unlike-its-seal', seq: entry.seq, entry });
      return;
    }
    const { checked, first = entry } = report;
    report = { ...report, checked: checked + 1, first, last: entry };
  }

  return {
    take(seq, text) {
      if (report.fault) return;
      if (seq !== place.seq + 1) {
        fail({ kind: 'missing', seq: place.seq + 1, through: seq - 1 });
        return;
      }
      const line = readAuditLine(text, seq, seal);
      if (line.kind === 'entry') accept(line.entry, text);
      else fail(line);
    },
    place: () => place,
    isBroken: () => report.fault !== undefined,
    end(newest) {
      const last = Math.max(newest, through.seq);
      if (last > place.seq) fail({ kind: 'cut', seq: place.seq + 1, through: last });
      return report;
    },
  };
}
