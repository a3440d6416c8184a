import type { AskAgainOutcome } from '../../desk/decisions/ask-again.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import type { Click } from '../inbound/interaction.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { answerPerson, type Handler } from './handler.ts';

const ANSWERS: Readonly<Record<Exclude<AskAgainOutcome['kind'], 'asked'>, string>> = {
  'asked-before': SENTENCES.askedBefore,
  'not-the-requester': SENTENCES.notTheAsker,
  'not-expired': SENTENCES.notExpired,
};

/** Asks the agent for an expired call again. On success the answer appears in the thread. */
export const askAgain: Handler<Click> = async ({ origin, token }, ack, deps) => {
  const { kind } = await deps.desk.askAgain({ callId: token.callId, by: origin.person });
  await ack();
  if (kind !== 'asked') await answerPerson(origin, ANSWERS[kind], deps, buildMessageView);
};
