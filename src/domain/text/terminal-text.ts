/** Text of others on a terminal and in JSON for one: nothing in it acts. */
import { EMOJI, HIDDEN, LETTER } from './characters.ts';
import { escapeCharacters } from './visible-text.ts';

/** Writes a text on one line of a terminal or a report: a line break in it is an escape too, and spaces stay. */
export function toTerminalLine(text: string): string {
  return escapeForTerminal(text, '\\u{5c}u{').replaceAll('\n', '\\u{a}');
}

/** Writes lines for a terminal, whatever is in them: no character acts on it or reorders others. Doing so twice changes nothing. */
export function toTerminalLines(text: string): string {
  return escapeForTerminal(text, '\\u{');
}

function escapeForTerminal(text: string, written: string): string {
  return text.replace(
    FOR_TERMINALS,
    (piece, plain: string | undefined, ours: string | undefined) => {
      if (plain !== undefined) return piece;
      return ours === undefined ? escapeCharacters(piece) : written;
    },
  );
}

/** Letters come first, in stretches: to look for an emoji at each takes long, and the stack bears no repeat without end. */
const FOR_TERMINALS = new RegExp(
  `(${LETTER}(?:[ \\n]?${LETTER}){0,999}(?![\\ufe0f\\u20e3])|${EMOJI})|(\\\\u\\{)|${HIDDEN}{1,4000}|(?<=\\p{M}{4})\\p{M}+`,
  'gv',
);

const HIDDEN_IN_JSON = new RegExp(HIDDEN, 'gv');

/** Writes a JSON text with the escapes of JSON for whatever can't be seen: its value stays the same. */
export function toTerminalJson(json: string): string {
  return json.replace(HIDDEN_IN_JSON, (character) =>
    Array.from({ length: character.length }, (_each, at) => {
      const unit = character.charCodeAt(at).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}
