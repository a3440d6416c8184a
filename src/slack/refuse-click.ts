import type { Click, Refused } from './check-click.ts';
import { buildMessageView } from './forms/small-views.ts';
import { answerPerson, type HandlerDeps } from './handlers/handler.ts';
import { SENTENCES } from './sentences.ts';

/** Turns a click away: remembered, and told to whoever made it. */
export async function refuseClick(
  refused: Refused,
  deps: Pick<HandlerDeps, 'client' | 'desk' | 'teller'>,
): Promise<void> {
  await recordRefused(refused, deps);
  if (refused.origin.person.user === '') return;
  await answerPerson(refused.origin, refused.sentence, deps, buildMessageView);
}

/** Remembers that a click or form was turned away. */
export async function recordRefused(
  { origin, subject, why }: Refused,
  { desk }: Pick<HandlerDeps, 'desk'>,
): Promise<void> {
  const actor = `${origin.person.team}/${origin.person.user}`;
  await desk.recordRefusal({ surface: 'slack', subject, actor, why });
}

/** Says that a click came from a message that is not the card of its call. */
export function notTheCard(click: Click): Refused {
  return {
    kind: 'refused',
    origin: click.origin,
    subject: click.token.callId,
    why: 'not the card of this call',
    sentence: SENTENCES.oldCard,
  };
}
