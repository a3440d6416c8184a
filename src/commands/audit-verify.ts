import { createAuditCheck } from '../domain/audit-check.ts';
import { createAuditSeal } from '../domain/seal.ts';
import type { AuditSource } from '../stores/audit-source.ts';
import { type CommandDeps, EXIT, type ExitCode, outJson } from './command.ts';
import { withAudit } from './open-named-audit.ts';
import { readArguments } from './read-arguments.ts';
import { isFine, sayVerdict, toPlainVerdict, type Verdict } from './say-verdict.ts';

/** Looks at every entry of the audit, and says whether all of them are as they were written, or which is the first that is not. */
export async function verifyAudit(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { values } = readArguments({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
  });
  return await withAudit(deps, async (audit) => {
    const verdict = await verify(audit);
    if (values.json) outJson(deps, toPlainVerdict(verdict));
    else deps.out(sayVerdict(verdict));
    return isFine(verdict) ? EXIT.fine : EXIT.problems;
  });
}

async function verify(audit: AuditSource): Promise<Verdict> {
  const key = await audit.key();
  const check = createAuditCheck(key && createAuditSeal(key));
  // Asked first: what is appended meanwhile is not missing.
  const newest = await audit.newest();
  for await (const page of audit.pages()) for (const line of page) check.take(line);
  const report = check.end(newest);
  return { report, keyPlace: audit.keyPlace, hasKey: key !== undefined };
}
