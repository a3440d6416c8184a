/** What a check has found: that all is well, or what to do. */
export interface Finding {
  /** A `problem` keeps the app, or what was set, from working; a `warning` does not; what is `skipped` needs something else first. */
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
}

/** Makes findings of one kind from their messages. */
export function findingsOf(
  status: Finding['status'],
  messages: readonly string[],
): readonly Finding[] {
  return messages.map((message) => ({ status, message }));
}

/** Returns the message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
