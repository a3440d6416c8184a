/** A payload that Slack can't have written: Bolt could not read it, and a repetition is of no use. */
export class MalformedPayloadError extends Error {
  override readonly name = 'MisshapenError';
}
