/** The answers offered by a question, as a form field. */
import type { KnownBlock, PlainTextOption } from '@slack/types';
import { CHOICE_LIMITS } from '../../../domain/calls/call-origin.ts';
import { toChoiceOption } from '../../cards/values/choice-option.ts';
import { LIMITS } from '../../text/limits.ts';
import { objectAt, type Payload, textAt } from '../../transport/payload.ts';

export const CHOICE_BLOCK = 'choice';
const CHOICE_ACTION = 'chosen';
/** Selected to write an answer of one's own, because Slack can't clear a radio button. */
const OWN_ANSWER = 'own';
const OWN_OPTION: PlainTextOption = {
  text: { type: 'plain_text', text: 'Something else (write it below)', emoji: false },
  value: OWN_ANSWER,
};

/**
 * Builds the field. Options carry the index of an answer, never its text, so that no other answer
 * can be sent.
 */
export function buildChoices(choices: readonly string[]): KnownBlock {
  const options = [...choices.map(toChoiceOption), OWN_OPTION];
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
