/** An offered answer as an option of a menu. */
import type { PlainTextOption } from '@slack/types';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { LIMITS } from '../../text/limits.ts';
import { safeCutIndex } from './fit-values.ts';

/**
 * Builds one option. A long answer is cut and numbered; the card and the text above show it in
 * full.
 */
export function toChoiceOption(choice: string, place: number): PlainTextOption {
  const { text } = toVisible(choice);
  if (text.length <= LIMITS.optionText) return option(text, String(place));
  const number = `${place + 1}. `;
  const room = LIMITS.optionText - number.length - 1;
  return option(`${number}${text.slice(0, safeCutIndex(text, room))}…`, String(place));
}

/** Tells whether an answer is too long for an option. */
export function isLongChoice(choice: string): boolean {
  return toVisible(choice).text.length > LIMITS.optionText;
}

function option(text: string, value: string): PlainTextOption {
  return { text: { type: 'plain_text', text, emoji: false }, value };
}
