/** The value of a button that names a turn: the id of the turn’s first message, and perhaps a word. */

/** Encodes a turn, and optionally a word, as the value of a button. */
export function encodeTurnToken(turn: string, word = ''): string {
  return word === '' ? turn : `${turn} ${word}`;
}

const TOKEN = /^(([A-Z0-9]{2,40}\/[A-Z0-9]{2,40})\/[0-9]{1,16}\.[0-9]{1,10})(?: ([a-z]{1,20}))?$/;

/** A turn that a button names. */
export interface TurnToken {
  /** Id of the turn’s first message. */
  readonly turn: string;
  /** The turn’s workspace and channel, as `team/channel`. */
  readonly channel: string;
  /** May be empty. */
  readonly word: string;
}

/** Parses a button’s value; undefined for anything that `encodeTurnToken` did not write. */
export function parseTurnToken(text: string): TurnToken | undefined {
  const [, turn, channel, word = ''] = TOKEN.exec(text) ?? [];
  return turn === undefined || channel === undefined ? undefined : { turn, channel, word };
}
