import { createAuditSeal } from '../../domain/calls/seal.ts';
import type { OpenedRecords } from '../../stores/command-records.ts';
import { checkAudit } from '../../stores/repositories/audit.ts';
import { type CommandDeps, EXIT, type ExitCode, outJson } from '../command.ts';
import { withRecords } from '../open-configured-records.ts';
import { readArguments } from '../parse-arguments.ts';
import { isFine, sayVerdict, toPlainVerdict, type Verdict } from './describe-verification.ts';

/** Looks at every entry of the audit, and says whether all of them are as they were written, or which is the first that is not. */
export async function verifyAudit(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { values } = readArguments({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
  });
  return await withRecords(deps, 'read', async (opened) => {
    const verdict = await verify(opened);
    if (values.json) outJson(deps, toPlainVerdict(verdict));
    else deps.out(sayVerdict(verdict));
    return isFine(verdict) ? EXIT.fine : EXIT.problems;
  });
}

async function verify({ key: readKey, keyPlace, records }: OpenedRecords): Promise<Verdict> {
  const key = await readKey();
  const report = await checkAudit(records, key && createAuditSeal(key));
  return { report, keyPlace, hasKey: key !== undefined };
}
