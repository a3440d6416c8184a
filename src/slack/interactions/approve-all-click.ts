import type { Call } from '../../domain/calls/call.ts';
import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import type { CardToken } from '../../domain/calls/digest.ts';
import { nameInBold } from '../cards/settled-card.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import { type Click, isFromCurrentCard } from '../inbound/parse-click.ts';
import { outcomeSentence, SENTENCES } from '../text/outcome-sentences.ts';
import { writeSentence } from '../text/write-sentence.ts';
import { answerPerson, type ClickHandler, type HandlerDeps } from './handler.ts';
import { outdatedCardProblem, recordRejected } from './reject-click.ts';

/** What became of one of the calls: a decision's outcome, or words on why none was made. */
type End = DecisionOutcome | { readonly kind: 'untried'; readonly why: string };

/** Approves the attempts that the card showed, in its order: each is decided for itself, as by a press of its own. */
export const approveAll: ClickHandler = async (click, ack, deps) => {
  const ends: End[] = [];
  for (const token of click.tokens) {
    try {
      ends.push(await approveOne(token, click, deps));
    } catch (error) {
      // Nothing of it may be saved: then Slack says so, as of any other press.
      if (ends.length === 0) throw error;
      deps.log.error({ err: error, call: token.callId }, 'One of several approvals failed.');
      const left = click.tokens.length - ends.length;
      const rest = Array.from({ length: left }, () => ({ kind: 'untried' as const, why: FAILED }));
      ends.push(...rest);
      break;
    }
  }
  await ack();
  await answerPerson(click.origin, describeEnds(ends), deps, buildMessageView);
};

const FAILED =
  'Something broke on my side before it was its turn. Press again: nothing happens twice.';

async function approveOne(token: CardToken, click: Click, deps: HandlerDeps): Promise<End> {
  if (!isFromCurrentCard(click, await deps.cardOf(token.callId))) {
    await recordRejected(outdatedCardProblem({ ...click, token }), deps);
    return { kind: 'untried', why: SENTENCES.oldCard };
  }
  const by = click.origin.person;
  return await deps.desk.decide({ ...token, by, decision: { kind: 'approve' } });
}

/** Says in one message where each call has ended up. */
function describeEnds(ends: readonly End[]): string {
  const others = countReasons(ends);
  const [[only, count] = ['', 0]] = others;
  if (count === ends.length) return only;
  const callsOf = (kind: 'decided' | 'recorded') =>
    ends.flatMap((end) => (end.kind === kind ? [end.call] : []));
  return [
    ...describeCalls('Approved', callsOf('decided'), ''),
    ...describeCalls('Your approval counts for', callsOf('recorded'), ' More are needed.'),
    ...others.slice(0, MAX_NAMED).map(([why, of]) => `${of} not: ${why}`),
    ...describeMore(others.slice(MAX_NAMED)),
  ].join('\n');
}

/** Why calls were not approved, each reason with the number of calls that it is for. */
function countReasons(ends: readonly End[]): readonly (readonly [string, number])[] {
  const whys = new Map<string, number>();
  for (const end of ends) {
    if (end.kind === 'decided' || end.kind === 'recorded') continue;
    const why = explainNotApproved(end);
    whys.set(why, (whys.get(why) ?? 0) + 1);
  }
  return [...whys];
}

/** One reason for several calls is said once: of who may decide, no call is named. */
function explainNotApproved(end: Exclude<End, { kind: 'decided' | 'recorded' }>): string {
  if (end.kind === 'untried') return end.why;
  return end.kind === 'not-allowed'
    ? `Nothing changed. ${writeSentence(end.why)}`
    : outcomeSentence(end);
}

function describeCalls(words: string, calls: readonly Call[], more: string): readonly string[] {
  return calls.length === 0 ? [] : [`${words} ${calls.length}: ${describeNames(calls)}.${more}`];
}

const MAX_NAMED = 5;

function describeNames(calls: readonly Call[]): string {
  const names = calls.slice(0, MAX_NAMED).map(nameInBold).join(', ');
  const more = calls.length - MAX_NAMED;
  return more > 0 ? `${names} and ${more} more` : names;
}

function describeMore(others: readonly (readonly [string, number])[]): readonly string[] {
  const count = others.reduce((sum, [, each]) => sum + each, 0);
  return count === 0 ? [] : [`${count} more not: see the card.`];
}
