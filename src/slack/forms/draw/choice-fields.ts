/** The answers offered by a question, as a form field. */
import type { KnownBlock, PlainTextOption } from '@slack/types';
import { CHOICE_LIMITS } from '../../../domain/calls/call-origin.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { safeCutIndex } from '../../cards/values/fit-values.ts';
import { LIMITS } from '../../text/limits.ts';
import { objectAt, type Payload, textAt } from '../../transport/payload.ts';

export const CHOICE_BLOCK = 'choice';
const CHOICE_ACTION = 'chosen';
/** Selected to write an answer of one's own, because Slack can't clear a radio button. */
const OWN_ANSWER = 'own';

/**
 * Builds the field. Options carry the index of an answer, never its text, so that no other answer
 * can be sent.
 */
export function buildChoices(choices: readonly string[]): KnownBlock {
  const options = [
    ...choices.map(toChoiceOption),
    option('Something else (write it below)', OWN_ANSWER),
  ];
  return {
    type: 'input',
    block_id: CHOICE_BLOCK,
    optional: true,
    label: { type: 'plain_text', text: 'Answers', emoji: false },
    element:
      options.length <= LIMITS.boxes
        ? { type: 'radio_buttons', action_id: CHOICE_ACTION, options }
        : { type: 'static_select', action_id: CHOICE_ACTION, options },
  };
}

function option(text: string, value: string): PlainTextOption {
  return { text: { type: 'plain_text', text, emoji: false }, value };
}

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

/**
 * Reads the choice: the index of an answer, `own`, or undefined for none. `wrong` if the field has
 * no such option.
 */
export function readChoice(values: Payload): number | 'own' | 'wrong' | undefined {
  const field = objectAt(objectAt(values, CHOICE_BLOCK), CHOICE_ACTION);
  const value = textAt(objectAt(field, 'selected_option'), 'value');
  if (value === undefined || value === OWN_ANSWER) return value;
  const isPlace = /^[0-9]{1,2}$/.test(value) && Number(value) < CHOICE_LIMITS.most;
  return isPlace ? Number(value) : 'wrong';
}
