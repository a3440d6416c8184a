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
  { shape: /(:\/\/)[^/\s:@"\\]*:[^/\s"\\]+@/g, becomes: `$1${REDACTED}@` },
];

/** Shorter values are words of a development set-up, and hiding them would hide half of the log. */
const MIN_SECRET_LENGTH = 8;

/** Returns the text without credentials: those that are given, and whatever has the shape of one. */
export function redactSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  let hidden = text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= MIN_SECRET_LENGTH) {
      hidden = hidden.replaceAll(secret, REDACTED);
    }
  }
  for (const { shape, becomes } of SECRETS) hidden = hidden.replace(shape, becomes);
  return hidden;
}
