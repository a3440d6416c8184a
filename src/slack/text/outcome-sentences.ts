/** What people are told of their clicks: what happened, and who decided. */
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import { isElicitation, isQuestion, isTaken } from '../../domain/calls/call-origin.ts';
import type { DecisionOutcome } from '../../domain/calls/decision.ts';
import { isSamePerson } from '../../domain/people/person.ts';
import { sayOutside } from '../cards/sections/caller-labels.ts';
import { endsWithTaking, isLeft } from '../cards/sections/status-labels.ts';
import { sayElicitationEnd } from '../cards/server-question.ts';
import { type Reading, sayNeeds, withoutClosed, writeName } from './describe-waiting.ts';
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
export function toSentence(outcome: DecisionOutcome, reading: Reading = {}): string {
  switch (outcome.kind) {
    case 'decided':
      return sayDecided(outcome.call);
    case 'recorded':
      return sayRecorded(outcome.call, reading);
    case 'already-voted':
      return `Nothing changed: you have already given your approval. ${name(outcome.call)} ${sayNeeds(outcome.call, reading)}`;
    case 'already-decided':
      return `Nothing changed: ${sayState(outcome.call)}`;
    case 'stale':
      return sayStale(outcome.call);
    case 'rerouted':
      return sayRerouted(outcome.call, reading);
    case 'not-allowed':
      return `Nothing changed. ${name(outcome.call)}: ${writeSentence(withoutClosed(outcome.why, reading))}`;
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
export function toUnnamed(outcome: DecisionOutcome): string {
  if (outcome.kind !== 'not-allowed') return toSentence(outcome);
  return `Nothing changed: ${writeSentence(withoutClosed(outcome.why, {}))}`;
}

const name = writeName;

function sayRecorded(call: Call, reading: Reading): string {
  const needs = `${name(call)} ${sayNeeds(call, reading)}`;
  if (call.votes.length === 0) return `Saved. ${needs}${sayUncounted(call)}`;
  return isOwnEdit(call) ? `Saved, with your approval. ${needs}` : `Your approval counts. ${needs}`;
}

/** Where a reason is owed an edit is no approval, so that the only one there is came later. */
function isOwnEdit({ editedBy, route, votes }: Call): boolean {
  const [vote, ...others] = votes;
  if (editedBy === undefined || vote === undefined || others.length > 0) return false;
  return isSamePerson(vote.by, editedBy) && !route?.requiresReason;
}

/** An edit is no approval where its maker has not seen all of it, owes a reason, may not approve their own call, or has moved it to others. */
function sayUncounted(call: Call): string {
  const { editedBy, requester, reroutedAt, route, updatedAt } = call;
  if (reroutedAt === updatedAt || editedBy === undefined) return '';
  if (isSamePerson(editedBy, requester) && route?.selfApproval === false) {
    return ' Others decide on your own calls.';
  }
  if (route?.requiresReason) return ' To approve it, press Approve on its card and say why.';
  return ' To approve it, see it whole first.';
}

function sayRerouted(call: Call, reading: Reading): string {
  return `Nothing changed: the route has changed since you saw this card. ${name(call)} ${sayNeeds(call, reading)} Check the card again.`;
}

function sayDecided(call: Call): string {
  if (isElicitation(call)) return sayElicitationEnd(call);
  switch (call.verdict?.kind) {
    case 'approve':
      return `You approved ${name(call)}.`;
    case 'edit':
      return call.status === 'pending'
        ? sayRecorded(call, {})
        : `Saved, and you approved ${name(call)}.`;
    case 'reply':
      return sayAnswered(call);
    case 'ignore':
      return isProgram(call)
        ? `You ignored ${name(call)}; ${sayReader(call)} is told so.`
        : `You ignored ${name(call)}; the agent stops here.`;
    default:
      return `It is settled: ${sayState(call)}`;
  }
}

/** Tells whether the answer goes to somebody else than an agent in its thread. */
function isProgram({ outside }: Call): boolean {
  return outside !== undefined && outside.by !== 'graph';
}

/** Names whoever reads what people answer, in the middle of a sentence. */
export function sayReader({ outside }: Pick<Call, 'outside'>): string {
  return outside === undefined || outside.by === 'graph'
    ? 'the agent'
    : `the ${sayOutside(outside)}`;
}

function sayAnswered(call: Call): string {
  const said = `Your answer goes to ${sayReader(call)}`;
  return isQuestion(call) ? `${said}.` : `${said}; ${name(call)} does not run.`;
}

function sayStale(call: Call): string {
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
  if (isLeft(call)) return 'was approved, but not taken in time.';
  if (endsWithTaking(call)) return 'was already taken';
  if (isQuestion(call) && status === 'expired') return 'expired: nobody answered in time.';
  if (isTaken(call) && status === 'approved') return 'is already approved, and waits to be taken';
  if (isTaken(call) && status === 'running') return 'is already approved, and taken';
  return STATES[status];
}

function sayState(call: Call): string {
  const state = stateOf(call);
  if (state.endsWith('.')) return `${name(call)} ${state}`;
  const who = call.verdict === undefined ? '' : ` (${sayVerdict(call.verdict)})`;
  return `${name(call)} ${state}${who}.`;
}

const VERDICTS: Readonly<Record<NonNullable<Call['verdict']>['kind'], string>> = {
  approve: 'approved by',
  edit: 'edited and approved by',
  reply: 'replied by',
  ignore: 'ignored by',
  settle: 'settled by',
};

function sayVerdict(verdict: NonNullable<Call['verdict']>): string {
  return `${VERDICTS[verdict.kind]} ${mention(verdict.by.user)}`;
}
