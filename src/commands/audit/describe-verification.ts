import type { AuditEntry } from '../../domain/audit/audit.ts';
import type { AuditFault, AuditReport } from '../../domain/audit/audit-check.ts';
import { toTerminalLine } from '../../domain/text/terminal-text.ts';
import { formatUtcTime } from './audit-rows.ts';

/** The result of verifying an audit. */
export interface AuditVerification {
  readonly report: AuditReport;
  readonly hasKey: boolean;
  readonly keyPlace: string;
}

/** Returns whether every entry was verified. */
export function isVerified({ hasKey, report }: AuditVerification): boolean {
  return report.fault === undefined && (hasKey || report.checked === 0);
}

/** Describes the result for people. */
export function describeVerification(verdict: AuditVerification): string {
  const { report } = verdict;
  const lines = report.fault
    ? describeFault(report.fault, report, verdict)
    : describeIntactAudit(report);
  return [...lines, ...describeRemoval(report), ...describeSealing(verdict)].join('\n');
}

function describeIntactAudit({ checked, first, last }: AuditReport): readonly string[] {
  if (!first || !last) return ['The audit is empty.'];
  return [
    `The audit is intact: ${count(checked, 'entry', 'entries')} checked, ${name(first)} to ${name(last)}.`,
  ];
}

function describeFault(
  fault: AuditFault,
  { checked }: AuditReport,
  verdict: AuditVerification,
): readonly string[] {
  const where = fault.entry ? name(fault.entry) : `${fault.seq}`;
  const before =
    checked === 0 ? [] : [`${count(checked, 'entry', 'entries')} before it are intact.`];
  return [`The audit is broken at entry ${where}: ${describeFaultKind(fault, verdict)}`, ...before];
}

function describeFaultKind(
  { kind, seq, through = seq }: AuditFault,
  { keyPlace }: AuditVerification,
): string {
  const gone = through > seq ? `entries ${seq} to ${through} are` : `entry ${seq} is`;
  switch (kind) {
    case 'unreadable':
      return 'it is no longer a readable entry.';
    case 'changed':
      return `its content was not written with this installation’s key (${keyPlace}). Either somebody changed it, or this is a different key.`;
    case 'missing':
      return `${gone} missing, and the app did not remove it.`;
    case 'unlike-its-seal':
      return 'the entries up to it are not those that were sealed: at least one was replaced.';
    case 'forged-seal':
      return `the seal was not made with this installation’s key (${keyPlace}). Either somebody changed it, or this is a different key.`;
    case 'cut':
      return `${gone} missing at the end.`;
  }
}

function describeRemoval({ removedThrough }: AuditReport): readonly string[] {
  if (removedThrough === 0) return [];
  return [`Entries 1 to ${removedThrough} were removed by the app itself (AUDIT_DAYS).`];
}

function describeSealing({ hasKey, keyPlace, report }: AuditVerification): readonly string[] {
  const { checked, fault, last, sealedAt, sealedThrough } = report;
  if (!hasKey && checked > 0) {
    return [
      `Their authorship could not be checked: the installation’s key is missing (${keyPlace}).`,
    ];
  }
  if (fault || !last) return [];
  const younger = count(last.seq - sealedThrough, 'entry', 'entries');
  const lost = `${younger} after it could be lost without a trace, but not rewritten.`;
  if (sealedThrough === 0)
    return [`Nothing is sealed yet: ${younger} could be lost without a trace, but not rewritten.`];
  return [
    `Sealed with the installation’s key up to entry ${sealedThrough} (${formatUtcTime(sealedAt)}); ${lost}`,
  ];
}

function name({ at, event, seq }: AuditEntry): string {
  return `${seq} (${formatUtcTime(at)}, ${toTerminalLine(event)})`;
}

function count(things: number, one: string, many: string): string {
  return `${things} ${things === 1 ? one : many}`;
}

/** Returns the result as JSON for programs. */
export function verificationToJson(verdict: AuditVerification): object {
  const { checked, fault, first, last, removedThrough, sealedAt, sealedThrough } = verdict.report;
  return {
    ok: isVerified(verdict),
    checked,
    ...(first && { first: plain(first) }),
    ...(last && { last: plain(last) }),
    ...(removedThrough > 0 && { removed: { through: removedThrough } }),
    ...(sealedThrough > 0 && { sealed: { through: sealedThrough, time: formatUtcTime(sealedAt) } }),
    hasKey: verdict.hasKey,
    ...(fault && {
      problem: {
        kind: fault.kind,
        seq: fault.seq,
        ...(fault.through !== undefined && { through: fault.through }),
        ...(fault.entry && { entry: plain(fault.entry) }),
        message: describeFaultKind(fault, verdict),
      },
    }),
  };
}

function plain({ at, event, seq }: AuditEntry): object {
  return { seq, time: formatUtcTime(at), event };
}
