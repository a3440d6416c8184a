/** Looks at an audit entry by entry, in memory that does not grow with it. */

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
  /** It can't be read as an entry. */
  | 'unreadable'
  /** Its content is not the one that it was marked with. */
  | 'changed'
  /** Entries before it are gone, and were not removed by the app. */
  | 'missing'
  /** The entries up to this one are genuine, and not those that were sealed. */
  | 'unlike-its-seal'
  /** What says how far the chain reaches was not made with the key. */
  | 'forged-seal'
  /** Entries after the last one are gone. */
  | 'cut';

/** Where an audit breaks first. */
export interface AuditFault {
  readonly kind: AuditFaultKind;
  /** The number of the entry; of a missing one where entries are gone. */
  readonly seq: number;
  /** The entry that does not fit; absent where there is none. */
  readonly entry?: AuditEntry;
  /** The last of several that are gone. */
  readonly through?: number;
}

/** What a look at a whole audit came to. */
export interface AuditReport {
  /** Entries that were found to fit. */
  readonly checked: number;
  readonly first?: AuditEntry;
  readonly last?: AuditEntry;
  /** The entries up to this number were removed by the app; 0 where none was. */
  readonly removedThrough: number;
  /** Entries after this number can be lost without a trace. */
  readonly sealedThrough: number;
  /** When that was sealed (ms). */
  readonly sealedAt: number;
  readonly fault?: AuditFault;
}

export interface AuditCheck {
  /** Takes the next stored text. */
  take(seq: number, text: string): void;
  /** The place that the chain has come to. */
  place(): AuditPosition;
  /** Whether something was found that does not fit: what is taken after it is passed over. */
  isBroken(): boolean;
  /** `newest` is the number of the entry that was appended last, as the store remembers it apart from the entries. */
  end(newest: number): AuditReport;
}

/** Begins a check behind a place of the chain (default: the last entry that was removed); without a key nothing is known of who wrote the entries. */
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
