import { toTerminalLine } from '../domain/text/terminal-text.ts';
import type { Place } from './file/policy-source.ts';

/** Something in the policy file that a person has to look at: an error keeps it from being used. */
export interface PolicyProblem extends Place {
  readonly severity: 'error' | 'warning';
  /** What is wrong, and what to do. */
  readonly message: string;
  /** The line of the file. */
  readonly source: string;
}

/** The policy file can't be used; its message lists every error. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';

  /** Makes the error of all that is wrong with a file. */
  static of(file: string, problems: readonly PolicyProblem[]): PolicyFileError {
    const errors = problems.filter(({ severity }) => severity === 'error');
    const list = errors.map((problem) => formatPolicyProblem(file, problem)).join('\n');
    return new PolicyFileError(`The policy file can't be used:\n${list}`);
  }
}

/** A longer line is not repeated: a caret below it would stand nowhere. */
const MAX_SOURCE = 160;

/** Says where a problem is and what it is, with the line and a mark under the character. */
export function formatPolicyProblem(file: string, problem: PolicyProblem): string {
  const { line, column, severity, message, source } = problem;
  const kind = severity === 'warning' ? 'warning: ' : '';
  const head = `${toTerminalLine(file)}:${line}:${column}: ${kind}${toTerminalLine(message)}`;
  if (source.trim() === '' || source.length > MAX_SOURCE) return head;
  const number = String(line).padStart(5);
  const mark = source.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return `${head}\n${number} | ${source}\n${' '.repeat(5)} | ${mark}^`;
}
