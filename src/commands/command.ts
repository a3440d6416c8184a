import type { Clock } from '../domain/ports/clock.ts';
import { toTerminalJson } from '../domain/text/terminal-text.ts';

/** The dependencies of a `countersign` command. */
export interface CommandDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads `.env` in the working directory; only the doctor uses it. (Default: no variables.) */
  readonly readEnvFile?: () => Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Writes a text and a line break to standard output. */
  readonly out: (text: string) => void;
  /** Writes a text unchanged; resolves when more can be written. */
  readonly write: (text: string) => Promise<void>;
  /** Like `out`, to standard error. */
  readonly err: (text: string) => void;
}

/** Exit codes: success, problems found, usage error. */
export const EXIT = { fine: 0, problems: 1, usage: 2 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command line is wrong. The message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes a value as JSON, with terminal control characters escaped. */
export function writeJsonOutput({ out }: Pick<CommandDeps, 'out'>, value: unknown): void {
  out(toTerminalJson(JSON.stringify(value, null, 2)));
}
