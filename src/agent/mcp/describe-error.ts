const MAX_WHY = 2_000;

/** Describes an error and its cause in one line of limited length. */
export function describeMcpError(error: unknown): string {
  if (!(error instanceof Error)) return cut(String(error));
  const { cause, message } = error;
  const reason = cause instanceof Error ? cause.message || (errorCodeOf(cause) ?? '') : '';
  return cut(message.includes(reason) ? message : `${message} (${reason})`);
}

/** Returns the code of an error or its cause. */
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
