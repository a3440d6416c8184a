/** Messages that are nothing but a command: they never begin a turn, and never are a reply. */

const STOP = new Set(['stop', 'please stop', 'stop please', 'stop it', 'please stop it']);
const FORGET = new Set(['forget this thread', 'please forget this thread']);

/** Tells whether a text says to stop, and nothing else. */
export function isBareStop(text: string): boolean {
  return STOP.has(plainOf(text));
}

/** Tells whether a text says to forget the thread, and nothing else. */
export function isBareForget(text: string): boolean {
  return FORGET.has(plainOf(text));
}

/** Tells whether a text is a command and nothing else. */
export function isBareWord(text: string): boolean {
  return isBareStop(text) || isBareForget(text);
}

function plainOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s.!,]+/g, ' ')
    .trim();
}
