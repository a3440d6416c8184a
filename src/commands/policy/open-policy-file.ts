import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { agentWritableFileProblems } from '../../config/paths/agent-writable-problems.ts';
import { DEFAULT_POLICY_FILE, DEFAULT_WORKSPACE_DIR } from '../../config/setting-variables.ts';
import { type PolicyFile, readPolicy } from '../../policy/file/read-policy.ts';
import type { KnownNames } from '../../policy/file/read-rules.ts';
import { readPolicyText } from '../../policy/load-policy.ts';
import { PolicyFileError, type PolicyProblem } from '../../policy/policy-problem.ts';
import type { CommandDeps } from '../command.ts';

/** A policy file as a command finds it. A problem given as a string concerns the whole file. */
export type FoundPolicy =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'broken';
      readonly path: string;
      readonly problems: readonly (PolicyProblem | string)[];
    }
  | { readonly kind: 'policy'; readonly path: string; readonly file: PolicyFile };

/**
 * Opens the given policy file, or the one that the app would use. Returns `none` if the default
 * file does not exist.
 */
export async function openPolicyFile(
  given: string | undefined,
  { env }: CommandDeps,
  known: KnownNames,
): Promise<FoundPolicy> {
  const set = given ?? (env.POLICY_FILE?.trim() || undefined);
  const path = set ?? DEFAULT_POLICY_FILE;
  if (set === undefined && !existsSync(path)) return { kind: 'none' };
  const workspaceDir = env.WORKSPACE_DIR?.trim() || DEFAULT_WORKSPACE_DIR;
  const misplaced = agentWritableFileProblems('POLICY_FILE', path, workspaceDir);
  try {
    const read = readPolicy(await readPolicyText(resolve(path)), known);
    if (read.ok && misplaced.length === 0) return { kind: 'policy', path, file: read.file };
    const found = read.ok ? read.file.warnings : read.problems;
    return { kind: 'broken', path, problems: [...misplaced, ...found] };
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error;
    return { kind: 'broken', path, problems: [...misplaced, error.message] };
  }
}
