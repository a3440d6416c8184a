import type { DecisionOutcome } from '../../domain/decision.ts';
import type { Click } from '../check-click.ts';
import { buildMessageView } from '../forms/small-views.ts';
import { toSentence } from '../sentences.ts';
import { answerPerson, type ClickHandler, type HandlerDeps } from './handler.ts';

/** Approves the attempt that the card showed. */
export const approve: ClickHandler = async (click, ack, deps) => {
  const outcome = await deps.desk.decide({ ...bound(click), decision: { kind: 'approve' } });
  await ack();
  await answerOutcome(click, outcome, deps);
};

/** Ignores the call: nothing runs, and the agent stops. */
export const ignore: ClickHandler = async (click, ack, deps) => {
  const outcome = await deps.desk.decide({ ...bound(click), decision: { kind: 'ignore' } });
  await ack();
  await answerOutcome(click, outcome, deps);
};

/** Makes the handler that settles a call of which it is unknown whether it ran. */
export function settle(finding: 'ran' | 'rerun' | 'leave'): ClickHandler {
  return async (click, ack, deps) => {
    const outcome = await deps.desk.settle({ ...bound(click), finding });
    await ack();
    await answerOutcome(click, outcome, deps);
  };
}

function bound(click: Click) {
  return { ...click.token, by: click.origin.person };
}

/** A decision that took effect is told by the card itself; in a form, and otherwise, a sentence tells it. */
async function answerOutcome(
  click: Click,
  outcome: DecisionOutcome,
  deps: HandlerDeps,
): Promise<void> {
  if (outcome.kind === 'decided' && click.origin.viewId === undefined) return;
  await answerPerson(click.origin, toSentence(outcome), deps, buildMessageView);
}
