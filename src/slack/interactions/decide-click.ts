import type { Call } from '../../domain/calls/call.ts';
import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import { buildReasonForm } from '../forms/draw/reason-form.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import type { Click } from '../inbound/parse-click.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { describeOutcome } from './describe-outcome.ts';
import { openView } from './forms/open-view.ts';
import { answerPerson, type ClickHandler, type HandlerDeps } from './handler.ts';

/** Approves the attempt that the card showed. */
export const approve: ClickHandler = async (click, ack, deps) => {
  const outcome = await deps.desk.decide({ ...bound(click), decision: { kind: 'approve' } });
  await ack();
  if (outcome.kind === 'needs-reason') return await askReason(click, outcome.call, deps);
  await answerOutcome(click, outcome, deps);
};

/** Ignores the call: nothing runs, and the agent stops. */
export const ignore: ClickHandler = async (click, ack, deps) => {
  const outcome = await deps.desk.decide({ ...bound(click), decision: { kind: 'ignore' } });
  await ack();
  await answerOutcome(click, outcome, deps);
};

/** Answers a question with one of its answers: only its place was sent, what it says is what the stored call offers. */
export const choose: ClickHandler = async (click, ack, deps) => {
  const { token } = click;
  const by = click.origin.person;
  const look = await deps.desk.checkDecision({ ...token, by, kind: 'reply' });
  const text = look.kind === 'open' ? choiceAt(look.call, click.detail) : undefined;
  if (look.kind === 'open' && text === undefined) {
    await ack();
    return await answerPerson(click.origin, SENTENCES.noSuchChoice, deps, buildMessageView);
  }
  const outcome =
    look.kind === 'open'
      ? await deps.desk.decide({ ...bound(click), decision: { kind: 'reply', text: text ?? '' } })
      : look;
  await ack();
  await answerOutcome(click, outcome, deps);
};

function choiceAt({ outside }: Call, place: string): string | undefined {
  return /^[0-9]{1,2}$/.test(place) ? outside?.choices?.[Number(place)] : undefined;
}

/** Makes the handler that settles a call of which it is unknown whether it ran. */
export function createSettleHandler(finding: 'ran' | 'rerun' | 'leave'): ClickHandler {
  return async (click, ack, deps) => {
    const outcome = await deps.desk.settle({ ...bound(click), finding });
    await ack();
    await answerOutcome(click, outcome, deps);
  };
}

/** The press counts once the reason is given: in the form that stands open already, or in one of its own. */
async function askReason(click: Click, call: Call, deps: HandlerDeps): Promise<void> {
  const view = buildReasonForm(call);
  const { viewId } = click.origin;
  if (viewId !== undefined) await deps.client.views.update({ view_id: viewId, view });
  else await openView(view, click, deps);
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
  const text = await describeOutcome(outcome, click.origin.person, deps);
  await answerPerson(click.origin, text, deps, buildMessageView);
}
