/** What people are told of their clicks: what happened, and who decided. */
import type { Call, CallStatus } from '../domain/call.ts';
import type { DecisionOutcome } from '../domain/decision.ts';
import { isElicitation, isQuestion, isTaken } from '../domain/outside.ts';
import { isSamePerson } from '../domain/person.ts';
import { showName } from '../domain/visible-text.ts';
import { sayElicitationEnd } from './cards/elicitation.ts';
import { sayOutside } from './cards/outside-words.ts';
import { endsWithTaking, isLeft } from './cards/state-words.ts';
import { mention } from './mrkdwn.ts';
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
  oldCard: 'That is not the card of this call any more, so nothing happened. Use the newest one.',
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

/** Says an outcome to the person who caused it. */
export function toSentence(outcome: DecisionOutcome): string {
  switch (outcome.kind) {
    case 'decided':
      return sayDecided(outcome.call);
    case 'recorded':
      return `${sayCounted(outcome.call)} ${sayMissing(outcome.missing)}`;
    case 'already-voted':
      return `You have already approved ${name(outcome.call)}. ${sayMissing(outcome.missing)}`;
    case 'already-decided':
      return `Nothing changed: ${sayState(outcome.call)}`;
    case 'stale':
      return sayStale(outcome.call);
    case 'not-allowed':
      return `Nothing changed. ${writeSentence(outcome.why)}`;
    case 'needs-reason':
      return `Nothing changed yet: say why you approve ${name(outcome.call)}.`;
    case 'needs-opening':
      return `Nothing changed: a part of ${name(outcome.call)} is masked, and you have not seen it. Press Open on its card, or Review on my Home tab, and approve it there.`;
    case 'invalid':
      return `Nothing changed: ${outcome.problems.map(({ message }) => message).join(' ')}`;
    case 'damaged':
      return SENTENCES.damaged;
    case 'not-found':
      return 'Nothing changed: I do not know this call (any more).';
  }
}

function name(call: Call): string {
  return `\`${showName(call.tool)}\``;
}

function sayMissing(missing: number): string {
  return missing === 1 ? 'One more approval is needed.' : `${missing} more approvals are needed.`;
}

function sayCounted(call: Call): string {
  if (call.votes.length === 0) return sayUncounted(call);
  return isOwnEdit(call)
    ? `Your changes to ${name(call)} are saved, with your approval; earlier ones no longer count.`
    : `Your approval of ${name(call)} counts.`;
}

/** Where a reason is owed an edit is no approval, so that the only one there is came later. */
function isOwnEdit({ editedBy, route, votes }: Call): boolean {
  const [vote, ...others] = votes;
  if (editedBy === undefined || vote === undefined || others.length > 0) return false;
  return isSamePerson(vote.by, editedBy) && !route?.requiresReason;
}

/** An edit is no approval where its maker has not seen all of it, owes a reason, or may not approve their own call. */
function sayUncounted(call: Call): string {
  const saved = `Your changes to ${name(call)} are saved, and approve nothing`;
  const { editedBy, requester, route } = call;
  const isOwn = editedBy !== undefined && isSamePerson(editedBy, requester);
  if (isOwn && route?.selfApproval === false) return `${saved}: others decide on your own calls.`;
  if (route?.requiresReason) return `${saved} yet: press Approve on the card and say why.`;
  return `${saved} yet: see it whole first.`;
}

function sayDecided(call: Call): string {
  if (isElicitation(call)) return sayElicitationEnd(call);
  switch (call.verdict?.kind) {
    case 'approve':
      return `You approved ${name(call)}.`;
    case 'edit':
      return call.status === 'pending'
        ? `Your changes to ${name(call)} are saved; it waits for approval.`
        : `Your changes to ${name(call)} are saved and approved.`;
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
