import { buildMessageView } from '../forms/draw/small-views.ts';
import type { Click, RejectedInteraction } from '../inbound/interaction.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { type Acknowledge, answerPerson, type HandlerDeps } from './handler.ts';

type RejectDeps = Pick<HandlerDeps, 'client' | 'desk' | 'log' | 'privateNotices'>;

/** Refuses a click or form: acknowledges it, records the refusal and tells the person. */
export async function rejectInteraction(
  refused: RejectedInteraction,
  ack: Acknowledge,
  deps: RejectDeps,
): Promise<void> {
  if (refused.inputs !== undefined) return await rejectForm(refused, refused.inputs, ack, deps);
  await ack();
  await rejectClick(refused, deps);
}

/** Refuses an acknowledged click: records the refusal and tells the person. */
export async function rejectClick(refused: RejectedInteraction, deps: RejectDeps): Promise<void> {
  await recordRejected(refused, deps);
  if (refused.origin.person.user === '') return;
  // A form that can be sent again later stays open.
  const origin = refused.isTemporary ? { ...refused.origin, viewId: undefined } : refused.origin;
  await answerPerson(origin, refused.sentence, deps, buildMessageView);
}

/** If the form can be sent again later, it keeps what was typed. */
async function rejectForm(
  refused: RejectedInteraction,
  [input]: readonly string[],
  ack: Acknowledge,
  deps: RejectDeps,
): Promise<void> {
  await recordRejected(refused, deps);
  if (refused.isTemporary && input) {
    return await ack({ response_action: 'errors', errors: { [input]: refused.sentence } });
  }
  await ack({ response_action: 'update', view: buildMessageView(refused.sentence) });
}

/** Records that a click or form was refused. */
export async function recordRejected(
  { origin, subject, why, isTemporary }: RejectedInteraction,
  { desk, log }: Pick<HandlerDeps, 'desk' | 'log'>,
): Promise<void> {
  if (isTemporary) log.warn({ person: origin.person, subject }, `Refused for now: ${why}.`);
  const actor = `${origin.person.team}/${origin.person.user}`;
  await desk.recordRefusal({ surface: 'slack', subject, actor, why });
}

/** Returns the refusal of a click from a message that is not the call’s current card. */
export function outdatedCardProblem(click: Click): RejectedInteraction {
  return {
    kind: 'refused',
    origin: click.origin,
    subject: click.token.callId,
    why: 'not the card of this call',
    sentence: SENTENCES.oldCard,
  };
}
