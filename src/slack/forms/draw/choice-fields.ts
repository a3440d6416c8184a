/** The answers that a question offers, as a field of the form in which it is answered. */
import type { KnownBlock, PlainTextOption } from '@slack/types';
import { CHOICE_LIMITS } from '../../../domain/calls/call-origin.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { safeCutIndex } from '../../cards/values/fit-values.ts';
import { LIMITS } from '../../text/limits.ts';
import { objectAt, type Payload, textAt } from '../../transport/payload.ts';

export const CHOICE_BLOCK = 'choice';
const CHOICE_ACTION = 'chosen';
/** What is chosen by whoever wants to write an answer: a choice can't be taken back in Slack. */
const OWN = 'own';

/** Makes the field; which answer was chosen is told by its place, so that nobody can send another one. */
export function buildChoices(choices: readonly string[]): KnownBlock {
  const options = [
    ...choices.map(toChoiceOption),
    option('Something else, which I write below', OWN),
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

/** A long one is told by its number: the card, and the text above, show it whole. */
export function toChoiceOption(choice: string, place: number): PlainTextOption {
  const { text } = toVisible(choice);
  if (text.length <= LIMITS.optionText) return option(text, String(place));
  const number = `${place + 1}. `;
  const room = LIMITS.optionText - number.length - 1;
  return option(`${number}${text.slice(0, safeCutIndex(text, room))}…`, String(place));
}

/** Tells whether an answer does not fit its option. */
export function isLongChoice(choice: string): boolean {
  return toVisible(choice).text.length > LIMITS.optionText;
}

/** Reads what was chosen: the place of an answer, `own` for one that is written, or undefined for nothing; `wrong` is nothing that the field offers. */
export function readChoice(values: Payload): number | 'own' | 'wrong' | undefined {
  const field = objectAt(objectAt(values, CHOICE_BLOCK), CHOICE_ACTION);
  const value = textAt(objectAt(field, 'selected_option'), 'value');
  if (value === undefined || value === OWN) return value;
  const isPlace = /^[0-9]{1,2}$/.test(value) && Number(value) < CHOICE_LIMITS.most;
  return isPlace ? Number(value) : 'wrong';
}
