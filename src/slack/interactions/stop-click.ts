import { buildMessageView } from '../forms/draw/small-views.ts';
import type { TurnClick } from '../inbound/interaction.ts';
import { describeStop } from '../text/command-sentences.ts';
import { answerPerson, type Handler } from './handler.ts';

/** Stops the turn that the button names. */
export const stopTurn: Handler<TurnClick> = async ({ origin, turn }, ack, deps) => {
  const outcome = await deps.desk.stop({ turn, by: origin.person });
  await ack();
  // The thread shows a stop that took effect.
  if (outcome.kind === 'stopped') return;
  await answerPerson(origin, describeStop(outcome), deps, buildMessageView);
};
