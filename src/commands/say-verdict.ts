import type { AuditEntry } from '../domain/audit.ts';
import type { AuditFault, AuditReport } from '../domain/audit-check.ts';
import { showLine } from '../domain/terminal-text.ts';
import { sayTime } from './audit-rows.ts';

/** What a look at an audit came to. */
export interface Verdict {
  readonly report: AuditReport;
  readonly hasKey: boolean;
  readonly keyPlace: string;
}

/** Tells whether everything that could be proved was. */
export function isFine({ report }: Verdict): boolean {
  return report.fault === undefined && report.unproven === 0;
}

/** Says it in words for people. */
export function sayVerdict(verdict: Verdict): string {
  const { report } = verdict;
  const lines = report.fault ? sayFault(report.fault, report, verdict) : sayHolds(report);
  return [...lines, ...sayRemoval(report), ...saySeals(verdict)].join('\n');
}

function sayHolds({ checked, first, last }: AuditReport): readonly string[] {
  if (!first || !last) return ['The audit is empty.'];
  return [
    `The audit holds: ${count(checked, 'entry', 'entries')} checked, ${name(first)} to ${name(last)}.`,
  ];
}

function sayFault(
  fault: AuditFault,
  { checked }: AuditReport,
  verdict: Verdict,
): readonly string[] {
  const where = fault.entry ? name(fault.entry) : `${fault.seq}`;
  const before = checked === 0 ? [] : [`${count(checked, 'entry', 'entries')} before it hold.`];
  return [`The audit is broken at entry ${where}: ${sayWhat(fault, verdict)}`, ...before];
}

function sayWhat({ kind, seq, through = seq }: AuditFault, { keyPlace }: Verdict): string {
  const gone = through > seq ? `entries ${seq} to ${through} are` : `entry ${seq} is`;
  switch (kind) {
    case 'unreadable':
      return 'it can’t be read as an entry any more.';
    case 'changed':
      return 'its content is not the one that it was written with.';
    case 'missing':
      return `${gone} gone, and no note of a removal speaks of that.`;
    case 'order':
      return 'its number does not follow that of the one before it.';
    case 'replaced':
      return 'it does not follow the one before it. One of the two was put in place of another.';
    case 'forged':
      return `it says that it was made with this installation’s key, and was not (${keyPlace}). Either somebody else wrote it, or the key is not the one of then.`;
    case 'unlike-its-seal':
      return 'what stood there when it was sealed is not what stands there now. What comes before it was rewritten.';
    case 'cut':
      return `${gone} gone from the end.`;
  }
}

function sayRemoval({ removal }: AuditReport): readonly string[] {
  if (!removal) return [];
  const { through } = removal.detail;
  return [
    `Entries 1 to ${showLine(String(through))} were removed by the app itself (AUDIT_DAYS), as the note in entry ${name(removal)} says.`,
  ];
}

function saySeals({ hasKey, keyPlace, report }: Verdict): readonly string[] {
  const { fault, last, sealed, unproven } = report;
  if (!hasKey && unproven > 0) {
    return [
      `${count(unproven, 'entry', 'entries')} made with the installation’s key could not be checked: it is not there (${keyPlace}).`,
    ];
  }
  if (fault || !last) return [];
  if (!sealed) {
    return ['Nothing is sealed yet: whoever can write the records could have rewritten all of it.'];
  }
  const { by, through } = sealed;
  const younger = last.seq - through;
  return [
    `Sealed with the installation’s key up to entry ${showLine(String(through))} (${sayTime(by.at)}); ${count(younger, 'entry is', 'entries are')} younger, and whoever can write the records could have rewritten those.`,
  ];
}

function name({ at, event, seq }: AuditEntry): string {
  return `${seq} (${sayTime(at)}, ${showLine(event)})`;
}

function count(things: number, one: string, many: string): string {
  return `${things} ${things === 1 ? one : many}`;
}

/** Says it for programs. */
export function toPlainVerdict(verdict: Verdict): object {
  const { checked, fault, first, last, removal, sealed, unproven } = verdict.report;
  return {
    ok: isFine(verdict),
    checked,
    ...(first && { first: plain(first) }),
    ...(last && { last: plain(last) }),
    ...(removal && {
      removed: { through: removal.detail.through, note: plain(removal) },
    }),
    ...(sealed && { sealed: { through: sealed.through, by: plain(sealed.by) } }),
    hasKey: verdict.hasKey,
    unproven,
    ...(fault && {
      problem: {
        kind: fault.kind,
        seq: fault.seq,
        ...(fault.through !== undefined && { through: fault.through }),
        ...(fault.entry && { entry: plain(fault.entry) }),
        message: sayWhat(fault, verdict),
      },
    }),
  };
}

function plain({ at, event, seq }: AuditEntry): object {
  return { seq, time: sayTime(at), event };
}
