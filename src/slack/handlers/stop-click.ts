import { originOf, type Refused, whyNotOurs } from '../check-click.ts';
import { sayStop } from '../command-sentences.ts';
import { buildMessageView } from '../forms/small-views.ts';
import { ACTIONS } from '../ids.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../payload.ts';
import { refuseClick } from '../refuse-click.ts';
import { SENTENCES } from '../sentences.ts';
import { type Acknowledge, answerPerson, type HandlerDeps } from './handler.ts';

/** Tells whether a click is on the button that stops a turn. */
export function isStopClick(body: unknown): boolean {
  const actions = isPayload(body) ? listAt(body, 'actions') : [];
  return actions.length === 1 && textAt(actions[0] ?? {}, 'action_id') === ACTIONS.stopTurn;
}

/** Stops the turn that the button names, if the button stands on a message of ours in the turn's own channel. */
export async function stopClick(body: unknown, ack: Acknowledge, deps: HandlerDeps): Promise<void> {
  const payload = isPayload(body) ? body : {};
  const turn = textAt(listAt(payload, 'actions')[0] ?? {}, 'value') ?? '';
  const refused = check(payload, turn, deps);
  if (refused) {
    await ack();
    return refuseClick(refused, deps);
  }
  const origin = originOf(payload, deps.identity);
  const outcome = await deps.desk.stop({ turn, by: origin.person });
  await ack();
  // A stop that took effect is said in the thread.
  if (outcome.kind === 'stopped') return;
  await answerPerson(origin, sayStop(outcome), deps, buildMessageView);
}

function check(payload: Payload, turn: string, { identity }: HandlerDeps): Refused | undefined {
  const origin = originOf(payload, identity);
  const refuse = (why: string, sentence: string): Refused => {
    return { kind: 'refused', origin, subject: turn || ACTIONS.stopTurn, why, sentence };
  };
  const wrong = whyNotOurs(payload, origin, identity);
  if (wrong) return refuse(wrong.why, wrong.sentence);
  if (textAt(objectAt(payload, 'message'), 'bot_id') !== identity.botId) {
    return refuse('not a message of ours', SENTENCES.notOurs);
  }
  const [team, channel] = turn.split('/');
  if (team !== identity.team || origin.channel === undefined || channel !== origin.channel) {
    return refuse('not of this channel', SENTENCES.notOurs);
  }
  return undefined;
}
