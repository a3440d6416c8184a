/** What people are told of their clicks: what happened, and who decided. */
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import {
  isAnswerOnly,
  isConsumedByCaller,
  isServerQuestion,
} from '../../domain/calls/call-origin.ts';
import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import { isSamePerson } from '../../domain/people/person.ts';
import { callerLabel } from '../cards/sections/caller-labels.ts';
import { endsWhenTaken, wasNeverTaken } from '../cards/sections/status-labels.ts';
import { describeServerQuestionEnd } from '../cards/server-question.ts';
import {
  boldCallTitle,
  describeNeeds,
  type ReaderContext,
  withoutHiddenChannels,
} from './describe-waiting.ts';
import { escapeMrkdwn, mention } from './mrkdwn.ts';
import { writeSentence } from './write-sentence.ts';

/** Sentences that hang on nothing. */
export const SENTENCES = {
  notSaved: 'That was not saved: something broke on my side. Please try again.',
  damaged:
    'Nothing happened: what I have stored of this is damaged, so nothing of it can be decided or run. Whoever runs me has to restore it from a backup.',
  perhapsSaved:
    'I can’t tell whether that was saved: my database does not answer. Please press again in a moment; nothing happens twice.',
  formExpired: 'Slack gave the form up before it opened. Please press the button again.',
  formFailed: 'The form could not be opened. Please press the button again.',
  outdatedForm:
    'This page was drawn anew before you sent it. Look at it once more, and send it again.',
  draftGone:
    'Nothing changed: what you typed on the other pages is not kept any more. Please press Edit again.',
  notReady:
    'I can’t check yet that Slack sent this to me and not to another app, so nothing happened. Please try again in a minute.',
  notOurs: 'That button is not one of mine, so nothing happened.',
  oldCard: 'This card is out of date; nothing changed. Use the latest card for this call.',
  stranger: 'Only members of this workspace may decide here, so nothing happened.',
  notThatTurn: 'That button belongs to another conversation, so nothing happened.',
  oldAnswer: 'I do not have this answer any more, so nothing was noted.',
  ratedGood: 'Thank you. I noted that this answer helped.',
  ratedBad: 'Thank you. I noted that this answer did not help.',
  askedBefore: 'That was asked again already; see below in the thread.',
  notTheAsker: 'Only the person who asked may ask again, so nothing happened.',
  notExpired: 'This call has not expired, so there is nothing to ask again.',
  emptyReply: 'Write what the agent should know.',
  emptyAnswer: 'Choose an answer, or write one.',
  twoAnswers: 'You have chosen an answer too. Choose “Something else” to send this one.',
  noSuchChoice: 'That is none of the answers. Choose one of them, or write one.',
  emptyReason: 'Write why you approve it.',
} as const;

/** Says an outcome to the person who caused it: where the call has ended up, and not what they pressed. */
export function outcomeSentence(outcome: DecisionOutcome, reading: ReaderContext = {}): string {
  switch (outcome.kind) {
    case 'decided':
      return describeDecided(outcome.call);
    case 'recorded':
      return describeRecorded(outcome.call, reading);
    case 'already-voted':
      return `Nothing changed: you have already given your approval. ${name(outcome.call)} ${describeNeeds(outcome.call, reading)}`;
    case 'already-decided':
      return `Nothing changed: ${describeState(outcome.call)}`;
    case 'stale':
      return describeStale(outcome.call);
    case 'rerouted':
      return describeRerouted(outcome.call, reading);
    case 'not-allowed':
      return `Nothing changed. ${name(outcome.call)}: ${writeSentence(withoutHiddenChannels(outcome.why, reading))}`;
    case 'needs-reason':
      return `Nothing changed yet: say why you approve ${name(outcome.call)}.`;
    case 'needs-opening':
      return `Nothing changed: a part of ${name(outcome.call)} is masked, and you have not seen it. Press Open on its card, or Review on my Home tab, and approve it there.`;
    case 'invalid':
      return `Nothing changed. ${name(outcome.call)}: ${escapeMrkdwn(outcome.problems.map(({ message }) => message).join(' '))}`;
    case 'damaged':
      return SENTENCES.damaged;
    case 'not-found':
      return 'Nothing changed: I do not know this call (any more).';
  }
}

/** Says it where the person may not see the call: what it is called holds its arguments. */
export function outcomeSentenceUnnamed(outcome: DecisionOutcome): string {
  if (outcome.kind !== 'not-allowed') return outcomeSentence(outcome);
  return `Nothing changed: ${writeSentence(withoutHiddenChannels(outcome.why, {}))}`;
}

const name = boldCallTitle;

function describeRecorded(call: Call, reading: ReaderContext): string {
  const needs = `${name(call)} ${describeNeeds(call, reading)}`;
  if (call.votes.length === 0) return `Saved. ${needs}${describeUncounted(call)}`;
  return isOwnEdit(call) ? `Saved, with your approval. ${needs}` : `Your approval counts. ${needs}`;
}

/** Where a reason is owed an edit is no approval, so that the only one there is came later. */
function isOwnEdit({ editedBy, route, votes }: Call): boolean {
  const [vote, ...others] = votes;
  if (editedBy === undefined || vote === undefined || others.length > 0) return false;
  return isSamePerson(vote.by, editedBy) && !route?.requiresReason;
}

/** An edit is no approval where its maker has not seen all of it, owes a reason, may not approve their own call, or has moved it to others. */
function describeUncounted(call: Call): string {
  const { editedBy, requester, reroutedAt, route, updatedAt } = call;
  if (reroutedAt === updatedAt || editedBy === undefined) return '';
  if (isSamePerson(editedBy, requester) && route?.selfApproval === false) {
    return ' Others decide on your own calls.';
  }
  if (route?.requiresReason) return ' To approve it, press Approve on its card and say why.';
  return ' To approve it, see it whole first.';
}

function describeRerouted(call: Call, reading: ReaderContext): string {
  return `Nothing changed: the route has changed since you saw this card. ${name(call)} ${describeNeeds(call, reading)} Check the card again.`;
}

function describeDecided(call: Call): string {
  if (isServerQuestion(call)) return describeServerQuestionEnd(call);
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
      return isProgram(call)
        ? `You ignored ${name(call)}; ${describeReplyReader(call)} is told so.`
        : `You ignored ${name(call)}; the agent stops here.`;
    default:
      return `It is settled: ${describeState(call)}`;
  }
}

/** Tells whether the answer goes to somebody else than an agent in its thread. */
function isProgram({ outside }: Call): boolean {
  return outside !== undefined && outside.by !== 'graph';
}

/** Names whoever reads what people answer, in the middle of a sentence. */
export function describeReplyReader({ outside }: Pick<Call, 'outside'>): string {
  return outside === undefined || outside.by === 'graph'
    ? 'the agent'
    : `the ${callerLabel(outside)}`;
}

function describeAnswered(call: Call): string {
  const said = `Your answer goes to ${describeReplyReader(call)}`;
  return isAnswerOnly(call) ? `${said}.` : `${said}; ${name(call)} does not run.`;
}

function describeStale(call: Call): string {
  if (call.editedBy === undefined || call.renewedAt !== undefined) {
    return `Nothing changed: ${name(call)} is not what that showed any more. Look at attempt ${call.attempt} as its card shows it now.`;
  }
  return `Nothing changed: ${mention(call.editedBy.user)} edited ${name(call)} since that card was drawn. Look at attempt ${call.attempt}.`;
}

const STATES: Readonly<Record<CallStatus, string>> = {
  proposed: 'is not yet open for a decision.',
  pending: 'still waits for a decision.',
  approved: 'is already approved',
  running: 'is already approved and runs',
  succeeded: 'has already run',
  failed: 'has already run, and failed',
  unknown: 'was approved; whether it ran is not known',
  replied: 'was already answered',
  ignored: 'was already ignored',
  expired: 'expired: nobody decided in time.',
  withdrawn: 'was withdrawn.',
  refused: 'was refused by the policy.',
};

/** Where a program runs it, or where it was only a question. */
function stateOf(call: Call): string {
  const { status } = call;
  if (wasNeverTaken(call)) return 'was approved, but not taken in time.';
  if (endsWhenTaken(call)) return 'was already taken';
  if (isAnswerOnly(call) && status === 'expired') return 'expired: nobody answered in time.';
  if (isConsumedByCaller(call) && status === 'approved')
    return 'is already approved, and waits to be taken';
  if (isConsumedByCaller(call) && status === 'running') return 'is already approved, and taken';
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
  reply: 'replied by',
  ignore: 'ignored by',
  settle: 'settled by',
};

function describeVerdictBy(verdict: NonNullable<Call['verdict']>): string {
  return `${VERDICTS[verdict.kind]} ${mention(verdict.by.user)}`;
}
