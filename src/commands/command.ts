import type { Clock } from '../domain/ports/clock.ts';
import { toTerminalJson } from '../domain/text/terminal-text.ts';

/** What a command of the `countersign` program works with. */
export interface CommandDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the `.env` of the folder, for the one command that looks at it itself. (Default: there is none.) */
  readonly readEnvFile?: () => Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Writes a text and a line break for programs and people to read. */
  readonly out: (text: string) => void;
  /** Writes a text as it is; resolves when there is room for more. */
  readonly write: (text: string) => Promise<void>;
  /** As `out`, for what went wrong. */
  readonly err: (text: string) => void;
}

/** How a command ended: all is well, there are problems, or it was called in a wrong way. */
export const EXIT = { fine: 0, problems: 1, usage: 2 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The program was called in a wrong way; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes a value for programs; what a terminal would act on is escaped as JSON does it. */
export function writeJsonOutput({ out }: Pick<CommandDeps, 'out'>, value: unknown): void {
  out(toTerminalJson(JSON.stringify(value, null, 2)));
}
