import { type DestinationStream, type Logger, pino, destination as toFile } from 'pino';
import { toTerminalJson } from '../domain/text/terminal-text.ts';
import { redactSecrets } from './redact-secrets.ts';

/** How the log is written. */
export interface LogOptions {
  readonly level: string;
  /** Values that must never be seen, whatever their shape. */
  readonly secrets?: readonly (string | undefined)[];
  /** (Default: the standard error.) */
  readonly destination?: DestinationStream;
}

/**
 * Makes the log: lines of JSON from which credentials are scrubbed as they are written, wherever in
 * the line they stand, and in which nothing acts on a terminal. Of an error only its name, code, message and stack are kept: what libraries
 * hang on it holds requests, and with them argument values.
 */
export function createLog({ level, secrets = [], destination }: LogOptions): Logger {
  const known = secrets
    .filter((secret) => secret !== undefined)
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: toPlainError },
      hooks: { streamWrite: (line) => toTerminalJson(redactSecrets(line, known)) },
    },
    destination ?? toFile({ dest: 2, sync: true }),
  );
}

const MAX_CAUSES = 5;

function toPlainError(error: unknown, causesLeft = MAX_CAUSES): unknown {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code: String(code) }),
    stack: error.stack,
    ...(error.cause !== undefined &&
      causesLeft > 0 && { cause: toPlainError(error.cause, causesLeft - 1) }),
  };
}
