/** Bolt could not parse a payload, so a retry would be useless. */
export class MalformedPayloadError extends Error {
  override readonly name = 'MalformedPayloadError';
}
