/** The part of a card that changes: buttons while people decide, then the verdict, then the result. */
import type { Button, KnownBlock } from '@slack/types';
import type { Call, CallStatus } from '../../domain/call.ts';
import { encodeCardToken } from '../../domain/digest.ts';
import type { Masking } from '../../domain/mask-secrets.ts';
import type { WithdrawalCause } from '../../domain/outcome.ts';
import { canAskAgain, isElicitation, isHanded, isQuestion } from '../../domain/outside.ts';
import type { DecisionKind } from '../../domain/route.ts';
import { ACTIONS } from '../ids.ts';
import { BUDGET } from '../limits.ts';
import { dateText, mention } from '../mrkdwn.ts';
import { buildPieces, cutPiece } from './fit-pieces.ts';
import { sayWaits } from './outside-words.ts';
import { renderText } from './render-args.ts';
import { endsWithTaking, sayStatus } from './state-words.ts';

/** What the foot must know besides the call. */
export interface FootFacts {
  /** Whether everything of the call stands on the card. */
  readonly whole: boolean;
  readonly editable: boolean;
  readonly masking: Masking;
}

const ICONS: Readonly<Record<CallStatus, string>> = {
  proposed: ':hourglass_flowing_sand:',
  pending: ':raised_hand:',
  approved: ':white_check_mark:',
  running: ':gear:',
  succeeded: ':white_check_mark:',
  failed: ':x:',
  unknown: ':grey_question:',
  replied: ':speech_balloon:',
  ignored: ':no_entry_sign:',
  expired: ':alarm_clock:',
  withdrawn: ':leftwards_arrow_with_hook:',
  refused: ':no_entry:',
};

const WITHDRAWALS: Readonly<Record<WithdrawalCause, string>> = {
  'new-message': 'the requester wrote a new message instead',
  'ignored-sibling': 'another call of the same message was ignored',
  stop: 'somebody stopped the work',
  'turn-ended': 'the turn had ended',
  cancelled: 'whoever asked for it took it back',
};

/** Makes the foot of a call's card. */
export function buildFoot(call: Call, facts: FootFacts): KnownBlock[] {
  const blocks: KnownBlock[] = [
    { type: 'section', text: { type: 'mrkdwn', text: sayState(call) }, expand: true },
  ];
  const said = isElicitation(call) ? undefined : outcomePiece(call, facts.masking);
  if (said !== undefined) blocks.push(...buildPieces([said]));
  const buttons = buttonsOf(call, facts);
  if (buttons.length > 0) blocks.push({ type: 'actions', elements: buttons });
  return blocks;
}

/** Says how a call stands, with whoever decided: never what it would do or has done. */
export function sayState(call: Call): string {
  const icon = endsWithTaking(call) && isHanded(call) ? ':outbox_tray:' : ICONS[call.status];
  return `${icon} ${headline(call)}${detail(call)}`;
}

/** Where a person's verdict is the end, it is the headline; else the state is. */
function headline(call: Call): string {
  if (isVerdictAll(call)) {
    const verdict = sayVerdict(call);
    if (verdict !== undefined) return verdict;
  }
  if (!isHandedOver(call)) return `*${sayStatus(call)}*`;
  return call.siblings > 1 ? '*Approved*' : '*Handed over*';
}

/** Nobody but the agent itself knows when it runs. */
function isHandedOver(call: Call): boolean {
  return call.status === 'running' && isHanded(call);
}

function isVerdictAll(call: Call): boolean {
  return call.status === 'replied' || call.status === 'ignored' || isElicitation(call);
}

function detail(call: Call): string {
  const isSaid = isVerdictAll(call);
  const lines = [isSaid ? undefined : sayVerdict(call)];
  if (isElicitation(call)) return joinLines(lines);
  lines.push(sayMeanwhile(call));
  if (call.status === 'unknown') lines.push('Please look, and say what you found.');
  if (isHandedOver(call)) {
    const when = call.siblings > 1 ? ', once what it asked in one with it is decided' : '';
    lines.push(`It goes to the graph, which runs it itself${when}.`);
  } else if (call.status === 'running' && call.claim !== undefined) {
    lines.push(`Since ${dateText(call.claim.at, '{time_secs}')}.`);
  }
  const { outcome } = call;
  if (outcome?.kind === 'withdrawn') lines.push(`Because ${WITHDRAWALS[outcome.cause]}.`);
  return joinLines(lines);
}

function joinLines(lines: readonly (string | undefined)[]): string {
  const said = lines.filter((line) => line !== undefined);
  return said.length === 0 ? '' : `\n${said.join('\n')}`;
}

/** What holds until the next step: with whoever runs it, where that is not us. */
function sayMeanwhile(call: Call): string | undefined {
  const { note, outside, status } = call;
  if (outside) return sayWaits(call, outside);
  return status === 'pending' && note === undefined ? 'Nothing runs until then.' : undefined;
}

const ELICITATION_VERDICTS = { edit: '*Answered* by', ignore: '*Declined* by' } as const;

const VERDICTS = {
  approve: 'Approved by',
  edit: 'Edited and approved by',
  reply: '*Replied* instead of approving:',
  ignore: '*Ignored* by',
  settle: 'Settled by',
} as const;

/** What a person did; whoever answers a question has approved nothing. */
function sayHow(call: Call, kind: keyof typeof VERDICTS): string {
  if (isElicitation(call)) return { ...VERDICTS, ...ELICITATION_VERDICTS }[kind];
  return isQuestion(call) && kind === 'reply' ? '*Answered* by' : VERDICTS[kind];
}

function sayVerdict(call: Call): string | undefined {
  const { verdict } = call;
  if (verdict === undefined || call.status === 'pending') return undefined;
  const approved = verdict.kind === 'approve' && call.votes.length > 1;
  const people = approved ? call.votes.map((vote) => vote.by.user) : [verdict.by.user];
  const names = [...new Set(people)].slice(0, 10).map(mention).join(', ');
  return `${sayHow(call, verdict.kind)} ${names} · ${dateText(verdict.at)}`;
}

function outcomePiece(call: Call, masking: Masking) {
  // What it says, its state says already.
  const words = endsWithTaking(call) && !isHanded(call) ? undefined : outcomeWords(call);
  if (words === undefined || words.text === '') return undefined;
  return cutPiece(renderText(words.label, words.text, masking), BUDGET.outcome);
}

function outcomeWords({
  outcome,
  outside,
}: Call): { readonly label: string; readonly text: string } | undefined {
  switch (outcome?.kind) {
    case 'result':
      return { label: outside?.isSilent ? 'What is known' : 'Result', text: outcome.text };
    case 'error':
      return { label: 'Error', text: outcome.text };
    case 'reply':
      return { label: outside ? 'Reply' : 'Reply to the agent', text: outcome.text };
    case 'refused':
      return { label: 'Reason', text: outcome.reason };
    case 'unknown':
      return { label: 'What is known', text: outcome.reason };
    default:
      return undefined;
  }
}

function buttonsOf(call: Call, facts: FootFacts): Button[] {
  const value = encodeCardToken(call);
  const button: MakeButton = (actionId, text, style) => ({
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text, emoji: false },
    value,
    ...(style === undefined ? {} : { style }),
  });
  const open = facts.whole ? [] : [button(ACTIONS.open, 'Open')];
  switch (call.status) {
    case 'pending':
      return [...open, ...makeDecisions(call, facts, button)];
    case 'unknown':
      return [...makeSettlements(button), ...open];
    case 'expired':
      return [...(canAskAgain(call) ? [button(ACTIONS.askAgain, 'Ask again')] : []), ...open];
    default:
      return open;
  }
}

/** Makes a button of the call. */
export type MakeButton = (actionId: string, text: string, style?: Button['style']) => Button;

/** Makes the buttons for what people say of a call of which nobody knows whether it ran. */
export function makeSettlements(button: MakeButton): Button[] {
  return [
    button(ACTIONS.settleRan, 'It ran'),
    button(ACTIONS.settleRerun, 'It did not, run it'),
    button(ACTIONS.settleLeave, 'It did not, leave it'),
  ];
}

/** Makes the buttons of those decisions that the route allows; Approve only beside the whole call. */
export function makeDecisions(
  call: Call,
  facts: Pick<FootFacts, 'whole' | 'editable'>,
  button: MakeButton,
): Button[] {
  const allows = (kind: DecisionKind) => call.route?.decisions.includes(kind) ?? false;
  if (isElicitation(call)) {
    return [button(ACTIONS.edit, 'Answer', 'primary'), button(ACTIONS.ignore, 'Decline')];
  }
  return [
    ...(allows('approve') && facts.whole ? [button(ACTIONS.approve, 'Approve', 'primary')] : []),
    ...(allows('edit') && facts.editable ? [button(ACTIONS.edit, 'Edit')] : []),
    ...(allows('reply') ? [button(ACTIONS.reply, isQuestion(call) ? 'Answer' : 'Reply')] : []),
    ...(allows('ignore') ? [button(ACTIONS.ignore, 'Ignore', 'danger')] : []),
  ];
}
