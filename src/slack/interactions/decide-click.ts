import type { Call } from '../../domain/calls/call.ts';
import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import { buildReasonForm } from '../forms/draw/reason-form.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import type { Click } from '../inbound/interaction.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import { describeOutcome } from './describe-outcome.ts';
import { openView } from './forms/open-view.ts';
import { answerPerson, type Handler, type HandlerDeps } from './handler.ts';

/** Approves the attempt that the card showed. */
export const approve: Handler<Click> = async (click, ack, deps) => {
  const outcome = await deps.desk.decide({
    ...decisionTarget(click),
    decision: { kind: 'approve' },
  });
  await ack();
  if (outcome.kind === 'needs-reason') return await askReason(click, outcome.call, deps);
  await answerOutcome(click, outcome, deps);
};

/** Ignores the call: nothing runs, and the agent stops. */
export const ignore: Handler<Click> = async (click, ack, deps) => {
  const outcome = await deps.desk.decide({
    ...decisionTarget(click),
    decision: { kind: 'ignore' },
  });
  await ack();
  await answerOutcome(click, outcome, deps);
};

/** Answers a question with an offered answer. Slack sends only its index; the text comes from the stored call. */
export const choose: Handler<Click> = async (click, ack, deps) => {
  const { token } = click;
  const by = click.origin.person;
  const check = await deps.desk.checkDecision({ ...token, by, kind: 'reply' });
  const text = check.kind === 'open' ? choiceAt(check.call, click.detail) : undefined;
  if (check.kind === 'open' && text === undefined) {
    await ack();
    return await answerPerson(click.origin, SENTENCES.noSuchChoice, deps, buildMessageView);
  }
  const outcome =
    check.kind === 'open'
      ? await deps.desk.decide({
          ...decisionTarget(click),
          decision: { kind: 'reply', text: text ?? '' },
        })
      : check;
  await ack();
  await answerOutcome(click, outcome, deps);
};

function choiceAt({ outside }: Call, index: string): string | undefined {
  return /^[0-9]{1,2}$/.test(index) ? outside?.choices?.[Number(index)] : undefined;
}

/** Creates the handler that settles a call with an unknown outcome. */
export function createSettleHandler(finding: 'ran' | 'rerun' | 'leave'): Handler<Click> {
  return async (click, ack, deps) => {
    const outcome = await deps.desk.settle({ ...decisionTarget(click), finding });
    await ack();
    await answerOutcome(click, outcome, deps);
  };
}

/** Asks for the reason, in the open form if there is one, else in a new one. The approval counts after that. */
async function askReason(click: Click, call: Call, deps: HandlerDeps): Promise<void> {
  const view = buildReasonForm(call);
  const { viewId } = click.origin;
  if (viewId !== undefined) await deps.client.views.update({ view_id: viewId, view });
  else await openView(view, click, deps);
}

function decisionTarget(click: Click) {
  return { ...click.token, by: click.origin.person };
}

/** Answers with a sentence, unless the decision was made on the card: the card shows it itself. */
async function answerOutcome(
  click: Click,
  outcome: DecisionOutcome,
  deps: HandlerDeps,
): Promise<void> {
  if (outcome.kind === 'decided' && click.origin.viewId === undefined) return;
  const text = await describeOutcome(outcome, click.origin.person, deps);
  await answerPerson(click.origin, text, deps, buildMessageView);
}
