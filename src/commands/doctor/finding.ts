/** The result of a check: all is well, or what to do. */
export interface Finding {
  /**
   * `problem`: the app or a setting does not work. `warning`: it works, with a drawback. `skipped`:
   * needs something else first.
   */
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
}

/** Creates findings of one status from their messages. */
export function findingsOf(
  status: Finding['status'],
  messages: readonly string[],
): readonly Finding[] {
  return messages.map((message) => ({ status, message }));
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
