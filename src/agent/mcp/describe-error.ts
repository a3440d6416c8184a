const MAX_WHY = 2_000;

/** Says why something failed, in one line of bounded length; for a fetch also what lies behind it. */
export function describeMcpError(error: unknown): string {
  if (!(error instanceof Error)) return cut(String(error));
  const { cause, message } = error;
  const behind = cause instanceof Error ? cause.message || (errorCodeOf(cause) ?? '') : '';
  return cut(message.includes(behind) ? message : `${message} (${behind})`);
}

/** The code of an error, or of what lies behind it. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return errorCodeOf(error.cause);
}

function cut(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .trim();
  return line.length > MAX_WHY ? `${line.slice(0, MAX_WHY)}…` : line;
}
