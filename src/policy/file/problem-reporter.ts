import type { PolicyProblem } from '../policy-problem.ts';
import type { Path, Place, PolicySource } from './policy-source.ts';

/** Collects the problems of a file with their places. */
export interface ProblemReporter {
  error(path: Path, message: string): void;
  /** At the key. */
  errorAtKey(path: Path, message: string): void;
  /** At one character of a text. */
  errorIn(path: Path, offset: number, message: string): void;
  warn(path: Path, message: string): void;
  warnAtKey(path: Path, message: string): void;
  /** At one character of a text. */
  warnIn(path: Path, offset: number, message: string): void;
  /** All problems, in file order. */
  problems(): readonly PolicyProblem[];
}

/** Creates an empty reporter. */
export function createProblemReporter(source: PolicySource): ProblemReporter {
  const problems: PolicyProblem[] = [];

  function add(severity: PolicyProblem['severity'], place: Place, message: string): void {
    problems.push({ severity, ...place, message, source: source.lines[place.line - 1] ?? '' });
  }

  return {
    error: (path, message) => add('error', source.placeOf(path), message),
    errorAtKey: (path, message) => add('error', source.placeOfKey(path), message),
    errorIn: (path, offset, message) => add('error', source.placeIn(path, offset), message),
    warn: (path, message) => add('warning', source.placeOf(path), message),
    warnAtKey: (path, message) => add('warning', source.placeOfKey(path), message),
    warnIn: (path, offset, message) => add('warning', source.placeIn(path, offset), message),
    problems: () => problems.toSorted((a, b) => a.line - b.line || a.column - b.column),
  };
}
