const REDACTED = '[redacted]';

/**
 * Patterns of credentials as they appear inside a JSON line, where a newline before a credential is
 * the two characters `\n`.
 */
const SECRETS: readonly { readonly pattern: RegExp; readonly replacement: string }[] = [
  { pattern: /x(?:ox[a-z]|app)-[\w-]{4,}/gi, replacement: REDACTED },
  { pattern: /(?<=^|[^A-Za-z0-9]|\\[nrtbf])sk-[\w-]{12,}/g, replacement: REDACTED },
  { pattern: /tvly-[\w-]{8,}/g, replacement: REDACTED },
  { pattern: /csk_[\w-]{8,}/g, replacement: REDACTED },
  {
    pattern: /(?<=^|[^A-Za-z0-9]|\\[nrtbf])(bearer|basic)(\s+)[\w.~+/=-]{8,}/gi,
    replacement: `$1$2${REDACTED}`,
  },
  // https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
  { pattern: /(hooks\.slack\.com\/)[^\s"\\]+/g, replacement: `$1${REDACTED}` },
  { pattern: /([?&](?:ticket|token|api_?key|secret)=)[^&\s"\\]+/gi, replacement: `$1${REDACTED}` },
  { pattern: /(:\/\/)[^/\s:@"\\]*:[^/\s"\\]+@/g, replacement: `$1${REDACTED}@` },
];

/**
 * Shorter values are placeholders of development setups; redacting them would hide half of the log.
 */
const MIN_SECRET_LENGTH = 8;

/**
 * Returns the text with the given secrets, and everything that matches a credential pattern,
 * redacted.
 */
export function redactSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  let redacted = text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= MIN_SECRET_LENGTH) {
      redacted = redacted.replaceAll(secret, REDACTED);
    }
  }
  for (const { pattern, replacement } of SECRETS) redacted = redacted.replace(pattern, replacement);
  return redacted;
}
