import { buildMessageView } from '../forms/draw/small-views.ts';
import type { Click, RejectedInteraction } from '../inbound/parse-click.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { listAt, type Payload, textAt } from '../transport/payload.ts';
import { type Acknowledge, answerPerson, type HandlerDeps } from './handler.ts';

/** Refuses a click: records the refusal and tells the person. */
export async function rejectClick(
  refused: RejectedInteraction,
  deps: Pick<HandlerDeps, 'client' | 'desk' | 'log' | 'teller'>,
): Promise<void> {
  await recordRejected(refused, deps);
  if (refused.origin.person.user === '') return;
  // A form that can be sent again later stays open.
  const origin = refused.isForNow ? { ...refused.origin, viewId: undefined } : refused.origin;
  await answerPerson(origin, refused.sentence, deps, buildMessageView);
}

/** Refuses a submitted form. If it can be sent again later, it keeps what was typed. */
export async function rejectForm(
  refused: RejectedInteraction,
  view: Payload,
  ack: Acknowledge,
  deps: Pick<HandlerDeps, 'desk' | 'log'>,
): Promise<void> {
  await recordRejected(refused, deps);
  const input = listAt(view, 'blocks').find(({ type }) => type === 'input');
  const id = textAt(input ?? {}, 'block_id');
  if (refused.isForNow && id !== undefined) {
    return await ack({ response_action: 'errors', errors: { [id]: refused.sentence } });
  }
  await ack({ response_action: 'update', view: buildMessageView(refused.sentence) });
}

/** Records that a click or form was refused. */
export async function recordRejected(
  { origin, subject, why, isForNow }: RejectedInteraction,
  { desk, log }: Pick<HandlerDeps, 'desk' | 'log'>,
): Promise<void> {
  if (isForNow) log.warn({ person: origin.person, subject }, `Refused for now: ${why}.`);
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
