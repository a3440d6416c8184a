/** Longer runs of escapes push the following text off the screen. */
const MAX_RUN = 100;

/**
 * Replaces each long run of escapes by one mark with its count, so that both ends of a text stay
 * readable. Stops after `most` characters of the result.
 */
export function shortenEscapeRuns(visible: string, most: number): string {
  let shown = '';
  let from = 0;
  for (let at = visible.indexOf(ESCAPE); at !== -1 && shown.length + at - from <= most; ) {
    const { end, characters } = runFrom(visible, at);
    if (end - at > MAX_RUN) {
      // Data can't fake this mark: backslashes in data are escaped.
      shown += `${visible.slice(from, at)}${ESCAPE}${characters} invisible characters}`;
      from = end;
    }
    at = visible.indexOf(ESCAPE, end);
  }
  return shown + visible.slice(from);
}

const ESCAPE = '\\u{';
/** Any escape but that of a backslash, which is visible text. */
const ONE_ESCAPE = /\\u\{(?!5c\})[0-9a-f]+(?: x([0-9]+))?\}/y;
const BLANKS = /[ \n]*/y;

/**
 * Returns where a run of escapes ends, and how many characters it stands for. Blanks may separate
 * them.
 */
function runFrom(visible: string, from: number): { end: number; characters: number } {
  let end = from + ESCAPE.length;
  let characters = 0;
  let blanks = 0;
  ONE_ESCAPE.lastIndex = from;
  for (;;) {
    const found = ONE_ESCAPE.exec(visible);
    if (found === null) return { end, characters };
    characters += blanks + Number(found[1] ?? 1);
    end = ONE_ESCAPE.lastIndex;
    BLANKS.lastIndex = end;
    blanks = BLANKS.exec(visible)?.[0].length ?? 0;
    ONE_ESCAPE.lastIndex = end + blanks;
  }
}
