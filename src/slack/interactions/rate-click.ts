import type { Rating } from '../../domain/threads/message.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import { unknownElement } from '../inbound/validate-payload.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { answerPerson, type TurnClickHandler } from './handler.ts';
import { rejectClick } from './reject-click.ts';

const THANKS: Readonly<Record<Rating['value'], string>> = {
  good: SENTENCES.ratedGood,
  bad: SENTENCES.ratedBad,
};

/** Keeps what the person thinks of an answer, and thanks them where only they see it. */
export const rate: TurnClickHandler = async (click, ack, deps) => {
  const { origin, actionId, thread, turn, word } = click;
  if (!isValue(word)) {
    await ack();
    const wrong = unknownElement('no rating');
    return rejectClick({ kind: 'refused', origin, subject: actionId, ...wrong }, deps);
  }
  const isKept = await deps.desk.rate({ thread, turn, by: origin.person, value: word });
  await ack();
  const sentence = isKept ? THANKS[word] : SENTENCES.oldAnswer;
  await answerPerson(origin, sentence, deps, buildMessageView);
};

function isValue(word: string): word is Rating['value'] {
  return word === 'good' || word === 'bad';
}
