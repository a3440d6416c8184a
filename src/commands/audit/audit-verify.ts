import { createAuditSeal } from '../../domain/calls/seal.ts';
import type { CommandRecords } from '../../stores/command-records.ts';
import { checkAudit } from '../../stores/repositories/audit.ts';
import { type CommandDeps, EXIT, type ExitCode, writeJsonOutput } from '../command.ts';
import { withConfiguredRecords } from '../open-configured-records.ts';
import { parseArguments } from '../parse-arguments.ts';
import {
  type AuditVerification,
  describeVerification,
  isVerified,
  verificationToJson,
} from './describe-verification.ts';

/** Verifies every entry of the audit. Reports the first one that is missing or was changed. */
export async function verifyAudit(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { values } = parseArguments({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
  });
  return await withConfiguredRecords(deps, 'read', async (opened) => {
    const verdict = await verify(opened);
    if (values.json) writeJsonOutput(deps, verificationToJson(verdict));
    else deps.out(describeVerification(verdict));
    return isVerified(verdict) ? EXIT.fine : EXIT.problems;
  });
}

async function verify({
  key: readKey,
  keyPlace,
  records,
}: CommandRecords): Promise<AuditVerification> {
  const key = await readKey();
  const report = await checkAudit(records, key && createAuditSeal(key));
  return { report, keyPlace, hasKey: key !== undefined };
}
