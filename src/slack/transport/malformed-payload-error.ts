/** A payload that Slack can't have written: Bolt could not read it, and a repetition is of no use. */
export class MisshapenError extends Error {
  override readonly name = 'MisshapenError';
}
