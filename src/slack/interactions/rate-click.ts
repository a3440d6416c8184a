import type { Rating } from '../../domain/threads/message.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import type { TurnClick } from '../inbound/interaction.ts';
import { unknownElement } from '../inbound/validate-payload.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { answerPerson, type Handler } from './handler.ts';
import { rejectClick } from './reject-interaction.ts';

const THANKS: Readonly<Record<Rating['value'], string>> = {
  good: SENTENCES.ratedGood,
  bad: SENTENCES.ratedBad,
};

/** Stores a person’s rating of an answer and thanks them privately. */
export const rate: Handler<TurnClick> = async (click, ack, deps) => {
  const { origin, id, thread, turn, word } = click;
  if (!isRating(word)) {
    await ack();
    const problem = unknownElement('no rating');
    return rejectClick({ kind: 'refused', origin, subject: id, ...problem }, deps);
  }
  const isStored = await deps.desk.rate({ thread, turn, by: origin.person, value: word });
  await ack();
  const sentence = isStored ? THANKS[word] : SENTENCES.oldAnswer;
  await answerPerson(origin, sentence, deps, buildMessageView);
};

function isRating(word: string): word is Rating['value'] {
  return word === 'good' || word === 'bad';
}
