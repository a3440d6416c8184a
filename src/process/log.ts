import { type DestinationStream, type Logger, pino, destination as toFile } from 'pino';
import { toTerminalJson } from '../domain/text/terminal-text.ts';
import { redactSecrets } from './redact-secrets.ts';

export interface LogOptions {
  readonly level: string;
  /** Values to redact wherever they appear. */
  readonly secrets?: readonly (string | undefined)[];
  /** (Default: stderr.) */
  readonly destination?: DestinationStream;
}

/**
 * Creates the log: JSON lines with credentials redacted and terminal control characters escaped. Of
 * an error only name, code, message, stack and causes are kept, because libraries attach requests
 * to errors, and requests hold argument values.
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
