import { toTerminalLine } from '../domain/text/terminal-text.ts';
import type { Place } from './file/policy-source.ts';

/** A problem in the policy file. An error keeps the file from being used. */
export interface PolicyProblem extends Place {
  readonly severity: 'error' | 'warning';
  /** What is wrong, and how to fix it. */
  readonly message: string;
  /** The line of the file. */
  readonly source: string;
}

/** The policy file can't be used. The message lists every error. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';

  /** Creates the error for all problems of a file. */
  static of(file: string, problems: readonly PolicyProblem[]): PolicyFileError {
    const errors = problems.filter(({ severity }) => severity === 'error');
    const list = errors.map((problem) => formatPolicyProblem(file, problem)).join('\n');
    return new PolicyFileError(`The policy file can't be used:\n${list}`);
  }
}

/** Longer lines are not shown, because the caret below would be misplaced. */
const MAX_SOURCE = 160;

/** Formats a problem with its location, its line and a caret under the character. */
export function formatPolicyProblem(file: string, problem: PolicyProblem): string {
  const { line, column, severity, message, source } = problem;
  const kind = severity === 'warning' ? 'warning: ' : '';
  const head = `${toTerminalLine(file)}:${line}:${column}: ${kind}${toTerminalLine(message)}`;
  if (source.trim() === '' || source.length > MAX_SOURCE) return head;
  const number = String(line).padStart(5);
  const mark = source.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return `${head}\n${number} | ${source}\n${' '.repeat(5)} | ${mark}^`;
}
