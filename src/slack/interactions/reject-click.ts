import { buildMessageView } from '../forms/draw/small-views.ts';
import type { Click, RejectedInteraction } from '../inbound/parse-click.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { listAt, type Payload, textAt } from '../transport/payload.ts';
import { type Acknowledge, answerPerson, type HandlerDeps } from './handler.ts';

/** Turns a click away: remembered, and told to whoever made it. */
export async function rejectClick(
  refused: RejectedInteraction,
  deps: Pick<HandlerDeps, 'client' | 'desk' | 'log' | 'teller'>,
): Promise<void> {
  await recordRejected(refused, deps);
  if (refused.origin.person.user === '') return;
  // A form that may be sent in a minute stays as it is.
  const origin = refused.isForNow ? { ...refused.origin, viewId: undefined } : refused.origin;
  await answerPerson(origin, refused.sentence, deps, buildMessageView);
}

/** Turns a submitted form away; what was typed in it stays where it may be sent again. */
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

/** Remembers that a click or form was turned away. */
export async function recordRejected(
  { origin, subject, why, isForNow }: RejectedInteraction,
  { desk, log }: Pick<HandlerDeps, 'desk' | 'log'>,
): Promise<void> {
  if (isForNow) log.warn({ person: origin.person, subject }, `Refused for now: ${why}.`);
  const actor = `${origin.person.team}/${origin.person.user}`;
  await desk.recordRefusal({ surface: 'slack', subject, actor, why });
}

/** Says that a click came from a message that is not the card of its call. */
export function outdatedCardProblem(click: Click): RejectedInteraction {
  return {
    kind: 'refused',
    origin: click.origin,
    subject: click.token.callId,
    why: 'not the card of this call',
    sentence: SENTENCES.oldCard,
  };
}
