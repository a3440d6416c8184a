/** Untrusted text on a terminal, or in JSON for one: no character in it takes effect. */
import { EMOJI, HIDDEN, LETTER } from './characters.ts';
import { escapeCharacters } from './visible-text.ts';

/** Escapes a text for one line of a terminal or report. Line breaks are escaped; spaces stay. */
export function toTerminalLine(text: string): string {
  return escapeForTerminal(text, '\\u{5c}u{').replaceAll('\n', '\\u{a}');
}

/**
 * Escapes untrusted text for a terminal: nothing controls the terminal or reorders text.
 * Idempotent.
 */
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

/**
 * Letters match first, in runs: testing each for an emoji is slow, and unbounded repeats overflow
 * the stack.
 */
const FOR_TERMINALS = new RegExp(
  `(${LETTER}(?:[ \\n]?${LETTER}){0,999}(?![\\ufe0f\\u20e3])|${EMOJI})|(\\\\u\\{)|${HIDDEN}{1,4000}|(?<=\\p{M}{4})\\p{M}+`,
  'gv',
);

const HIDDEN_IN_JSON = new RegExp(HIDDEN, 'gv');

/** Escapes invisible characters in a JSON text. Its value stays the same. */
export function toTerminalJson(json: string): string {
  return json.replace(HIDDEN_IN_JSON, (character) =>
    Array.from({ length: character.length }, (_each, at) => {
      const unit = character.charCodeAt(at).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}
