import type { Call } from '../../domain/calls/call.ts';
import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import type { CardToken } from '../../domain/calls/digest.ts';
import { nameInBold } from '../cards/settled-card.ts';
import { buildMessageView } from '../forms/draw/small-views.ts';
import { type Click, isFromCurrentCard } from '../inbound/interaction.ts';
import { outcomeSentence, SENTENCES } from '../text/outcome-sentences.ts';
import { writeSentence } from '../text/write-sentence.ts';
import { answerPerson, type Handler, type HandlerDeps } from './handler.ts';
import { outdatedCardProblem, recordRejected } from './reject-interaction.ts';

/** The result for one call: a decision’s outcome, or why none was made. */
type CallResult = DecisionOutcome | { readonly kind: 'untried'; readonly why: string };

/** Approves the attempts that the card showed, in its order. Each is its own decision, as by a separate click. */
export const approveAll: Handler<Click> = async (click, ack, deps) => {
  const results: CallResult[] = [];
  for (const token of click.tokens) {
    try {
      results.push(await approveOne(token, click, deps));
    } catch (error) {
      // If the first one fails, report it like any other failed click.
      if (results.length === 0) throw error;
      deps.log.error({ err: error, call: token.callId }, 'One of several approvals failed.');
      const remaining = click.tokens.length - results.length;
      const rest = Array.from({ length: remaining }, () => ({
        kind: 'untried' as const,
        why: FAILED,
      }));
      results.push(...rest);
      break;
    }
  }
  await ack();
  await answerPerson(click.origin, describeResults(results), deps, buildMessageView);
};

const FAILED =
  'Something went wrong on my side before I got to it. Please press again. Pressing twice is safe.';

async function approveOne(token: CardToken, click: Click, deps: HandlerDeps): Promise<CallResult> {
  if (!isFromCurrentCard(click, await deps.cardOf(token.callId))) {
    await recordRejected(outdatedCardProblem({ ...click, token }), deps);
    return { kind: 'untried', why: SENTENCES.oldCard };
  }
  const by = click.origin.person;
  return await deps.desk.decide({ ...token, by, decision: { kind: 'approve' } });
}

/** Describes in one message what happened to each call. */
function describeResults(results: readonly CallResult[]): string {
  const others = countReasons(results);
  const [[only, count] = ['', 0]] = others;
  if (count === results.length) return only;
  const callsOf = (kind: 'decided' | 'recorded') =>
    results.flatMap((result) => (result.kind === kind ? [result.call] : []));
  return [
    ...describeCalls('Approved', callsOf('decided'), ''),
    ...describeCalls('Your approval counts for', callsOf('recorded'), ' More are needed.'),
    ...others.slice(0, MAX_NAMED).map(([why, count]) => `${count} not approved: ${why}`),
    ...describeMore(others.slice(MAX_NAMED)),
  ].join('\n');
}

/** Returns why calls were not approved: each reason with its number of calls. */
function countReasons(results: readonly CallResult[]): readonly (readonly [string, number])[] {
  const whys = new Map<string, number>();
  for (const result of results) {
    if (result.kind === 'decided' || result.kind === 'recorded') continue;
    const why = explainNotApproved(result);
    whys.set(why, (whys.get(why) ?? 0) + 1);
  }
  return [...whys];
}

/** Names no call where the person may not decide, so that equal reasons are merged. */
function explainNotApproved(result: Exclude<CallResult, { kind: 'decided' | 'recorded' }>): string {
  if (result.kind === 'untried') return result.why;
  return result.kind === 'not-allowed'
    ? `Nothing changed. ${writeSentence(result.why)}`
    : outcomeSentence(result);
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
  return count === 0 ? [] : [`${count} more not approved: see the card.`];
}
