/** Answers to clicks: what happened, and who decided. */
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import { isSamePerson } from '../../domain/people/person.ts';
import { escapeToolName } from '../../domain/text/visible-text.ts';
import { callerLabel } from './caller-labels.ts';
import {
  boldCallTitle,
  describeNeeds,
  type ReaderContext,
  withoutHiddenChannels,
} from './describe-waiting.ts';
import { escapeMrkdwn, mention } from './mrkdwn.ts';
import { endsWhenTaken, wasNeverTaken } from './status-labels.ts';
import { writeSentence } from './write-sentence.ts';

/** Answers without variable parts. */
export const SENTENCES = {
  notSaved: 'That was not saved: something went wrong on my side. Please try again.',
  damaged:
    'Nothing happened: my stored record of this is damaged, so it can’t be decided or run. The person who runs this app has to restore it from a backup.',
  perhapsSaved:
    'I don’t know whether that was saved: my database does not respond. Please press again in a moment. Pressing twice is safe.',
  formExpired: 'The form took too long to open. Please press the button again.',
  formFailed: 'The form could not be opened. Please press the button again.',
  outdatedForm: 'This page changed before you sent it. Check it and send it again.',
  draftGone:
    'Nothing changed: what you typed on the other pages is no longer stored. Please press Edit again.',
  notReady:
    'I can’t check yet that Slack sent this to me and not to another app, so nothing happened. Please try again in a minute.',
  notOurs: 'That button is not one of mine, so nothing happened.',
  oldCard: 'This card is out of date; nothing changed. Use the latest card for this call.',
  stranger: 'Only members of this workspace may decide here, so nothing happened.',
  notThatTurn: 'That button belongs to another conversation, so nothing happened.',
  oldAnswer: 'I no longer have this answer, so your rating was not saved.',
  ratedGood: 'Thank you. I noted that this answer helped.',
  ratedBad: 'Thank you. I noted that this answer did not help.',
  askedBefore: 'This was already asked again. See below in the thread.',
  notTheAsker: 'Only the person who asked may ask again, so nothing happened.',
  notExpired: 'This call has not expired, so there is nothing to ask again.',
  emptyReply: 'Write what the agent should know.',
  emptyAnswer: 'Choose an answer, or write one.',
  twoAnswers:
    'You chose an answer and also wrote one. To send what you wrote, choose “Something else”.',
  noSuchChoice: 'That is not one of the answers. Choose one of them, or write your own.',
  emptyReason: 'Write why you approve it.',
} as const;

/** Describes an outcome to the person who caused it: the state of the call, not what they pressed. */
export function outcomeSentence(outcome: DecisionOutcome, context: ReaderContext = {}): string {
  switch (outcome.kind) {
    case 'decided':
      return describeDecided(outcome.call);
    case 'recorded':
      return describeRecorded(outcome.call, context);
    case 'already-voted':
      return `Nothing changed: you have already given your approval. ${name(outcome.call)} ${describeNeeds(outcome.call, context)}`;
    case 'already-decided':
      return `Nothing changed: ${describeState(outcome.call)}`;
    case 'stale':
      return describeStale(outcome.call);
    case 'rerouted':
      return describeRerouted(outcome.call, context);
    case 'not-allowed':
      return `Nothing changed. ${name(outcome.call)}: ${writeSentence(withoutHiddenChannels(outcome.why, context))}`;
    case 'needs-reason':
      return `Nothing changed yet: say why you approve ${name(outcome.call)}.`;
    case 'needs-opening':
      return `Nothing changed: a part of ${name(outcome.call)} is masked, and you have not seen it. Press Open on its card, or Review on my Home tab, and approve it there.`;
    case 'invalid':
      return `Nothing changed. ${name(outcome.call)}: ${escapeMrkdwn(outcome.problems.map(({ message }) => message).join(' '))}`;
    case 'damaged':
      return SENTENCES.damaged;
    case 'not-found':
      return 'Nothing changed: I can’t find this call. It may have been deleted.';
  }
}

/** Describes an outcome to a person who may not see the call. Its title may contain arguments. */
export function outcomeSentenceUnnamed(outcome: DecisionOutcome): string {
  if (outcome.kind !== 'not-allowed') return outcomeSentence(outcome);
  return `Nothing changed: ${writeSentence(withoutHiddenChannels(outcome.why, {}))}`;
}

const name = boldCallTitle;

function describeRecorded(call: Call, context: ReaderContext): string {
  const needs = `${name(call)} ${describeNeeds(call, context)}`;
  if (call.votes.length === 0) return `Saved. ${needs}${describeUncounted(call)}`;
  return isOwnEdit(call) ? `Saved, with your approval. ${needs}` : `Your approval counts. ${needs}`;
}

/** Returns whether the only approval came with the person’s own edit. If a reason is required, it came later. */
function isOwnEdit({ editedBy, route, votes }: Call): boolean {
  const [vote, ...others] = votes;
  if (editedBy === undefined || vote === undefined || others.length > 0) return false;
  return isSamePerson(vote.by, editedBy) && !route?.requiresReason;
}

/** Explains why an edit did not count as an approval: own call, missing reason, or not reviewed completely. */
function describeUncounted(call: Call): string {
  const { editedBy, requester, reroutedAt, route, updatedAt } = call;
  if (reroutedAt === updatedAt || editedBy === undefined) return '';
  if (isSamePerson(editedBy, requester) && route?.selfApproval === false) {
    return ' Others decide on your own calls.';
  }
  if (route?.requiresReason) return ' To approve it, press Approve on its card and say why.';
  return ' To approve it, review all of it first.';
}

function describeRerouted(call: Call, context: ReaderContext): string {
  return `Nothing changed: the route has changed since you saw this card. ${name(call)} ${describeNeeds(call, context)} Check the card again.`;
}

/** Confirms an answer or a refusal to the person who gave it. */
function describeServerQuestionEnd({ outside, verdict }: Call): string {
  const server = `\`${escapeToolName(outside?.name ?? '')}\``;
  return verdict?.kind === 'ignore'
    ? `You declined to answer. I let ${server} know.`
    : `Your answer goes to ${server}.`;
}

function describeDecided(call: Call): string {
  if (behaviourOf(call).asksFor === 'form') return describeServerQuestionEnd(call);
  switch (call.verdict?.kind) {
    case 'approve':
      return `You approved ${name(call)}.`;
    case 'edit':
      return call.status === 'pending'
        ? describeRecorded(call, {})
        : `Saved, and you approved ${name(call)}.`;
    case 'reply':
      return describeAnswered(call);
    case 'ignore':
      return behaviourOf(call).reportsTo === 'caller'
        ? `You ignored ${name(call)}; ${describeReplyReader(call)} is notified.`
        : `You ignored ${name(call)}; the agent stops here.`;
    default:
      return `Settled: ${describeState(call)}`;
  }
}

/** Names the reader of people’s answers, for the middle of a sentence. */
export function describeReplyReader(call: Pick<Call, 'outside'>): string {
  const caller = behaviourOf(call).reportsTo === 'caller' && call.outside;
  return caller ? `the ${callerLabel(caller)}` : 'the agent';
}

function describeAnswered(call: Call): string {
  const answered = `Your answer goes to ${describeReplyReader(call)}`;
  return behaviourOf(call).asksFor === 'text'
    ? `${answered}.`
    : `${answered}; ${name(call)} does not run.`;
}

function describeStale(call: Call): string {
  if (call.editedBy === undefined || call.renewedAt !== undefined) {
    return `Nothing changed: ${name(call)} has changed since you saw it. See version ${call.attempt} on its card.`;
  }
  return `Nothing changed: ${mention(call.editedBy.user)} edited ${name(call)} after you saw it. See version ${call.attempt}.`;
}

const STATES: Readonly<Record<CallStatus, string>> = {
  proposed: 'is not yet open for a decision.',
  pending: 'is still waiting for a decision.',
  approved: 'is already approved',
  running: 'is already approved and running',
  succeeded: 'has already run',
  failed: 'has already run, and failed',
  unknown: 'was approved; it is unknown whether it ran',
  replied: 'was already answered',
  ignored: 'was already ignored',
  expired: 'expired: nobody decided in time.',
  withdrawn: 'was withdrawn.',
  refused: 'was refused by the policy.',
};

/** Describes calls that a program runs, and questions, in their own words. */
function stateOf(call: Call): string {
  const { status } = call;
  if (wasNeverTaken(call)) return 'was approved, but not picked up in time.';
  if (endsWhenTaken(call)) return 'was already picked up';
  if (behaviourOf(call).asksFor === 'text' && status === 'expired')
    return 'expired: nobody answered in time.';
  if (behaviourOf(call).runBy === 'caller' && status === 'approved')
    return 'is already approved and waiting for pickup';
  if (behaviourOf(call).runBy === 'caller' && status === 'running')
    return 'is already approved and picked up';
  return STATES[status];
}

function describeState(call: Call): string {
  const state = stateOf(call);
  if (state.endsWith('.')) return `${name(call)} ${state}`;
  const who = call.verdict === undefined ? '' : ` (${describeVerdictBy(call.verdict)})`;
  return `${name(call)} ${state}${who}.`;
}

const VERDICTS: Readonly<Record<NonNullable<Call['verdict']>['kind'], string>> = {
  approve: 'approved by',
  edit: 'edited and approved by',
  reply: 'answered by',
  ignore: 'ignored by',
  settle: 'settled by',
};

function describeVerdictBy(verdict: NonNullable<Call['verdict']>): string {
  return `${VERDICTS[verdict.kind]} ${mention(verdict.by.user)}`;
}
