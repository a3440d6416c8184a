import { type DestinationStream, type Logger, pino, destination as toFile } from 'pino';
import { showJson } from './domain/terminal-text.ts';

const REDACTED = '[redacted]';

/**
 * Credentials by their shape, as they look inside a line of JSON, where a line break before one is
 * the two characters `\n`.
 */
const SECRETS: readonly { readonly shape: RegExp; readonly becomes: string }[] = [
  { shape: /x(?:ox[a-z]|app)-[\w-]{4,}/gi, becomes: REDACTED },
  { shape: /(?<=^|[^A-Za-z0-9]|\\[nrtbf])sk-[\w-]{12,}/g, becomes: REDACTED },
  { shape: /tvly-[\w-]{8,}/g, becomes: REDACTED },
  { shape: /csk_[\w-]{8,}/g, becomes: REDACTED },
  {
    shape: /(?<=^|[^A-Za-z0-9]|\\[nrtbf])(bearer|basic)(\s+)[\w.~+/=-]{8,}/gi,
    becomes: `$1$2${REDACTED}`,
  },
  // https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
  { shape: /(hooks\.slack\.com\/)[^\s"\\]+/g, becomes: `$1${REDACTED}` },
  { shape: /([?&](?:ticket|token|api_?key|secret)=)[^&\s"\\]+/gi, becomes: `$1${REDACTED}` },
  { shape: /(:\/\/)[^/\s:@"\\]*:[^/\s@"\\]+@/g, becomes: `$1${REDACTED}@` },
];

/** Shorter values are words of a development set-up, and hiding them would hide half of the log. */
const MIN_SECRET_LENGTH = 8;

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
    .filter((secret) => secret !== undefined && secret.length >= MIN_SECRET_LENGTH)
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: toPlainError },
      hooks: { streamWrite: (line) => scrub(line, known) },
    },
    destination ?? toFile({ dest: 2, sync: true }),
  );
}

function scrub(line: string, known: readonly string[]): string {
  let scrubbed = line;
  for (const secret of known) scrubbed = scrubbed.replaceAll(secret, REDACTED);
  for (const { shape, becomes } of SECRETS) scrubbed = scrubbed.replace(shape, becomes);
  return showJson(scrubbed);
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
