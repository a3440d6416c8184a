/** The card of a settled call: one line. The full view has the rest. */
import type { Button, KnownBlock } from '@slack/types';
import { wasStoppedByPerson } from '../../desk/calls/execution/run-tool.ts';
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import type { WithdrawalCause } from '../../domain/calls/outcome.ts';
import { readStoredJson } from '../../domain/json/json.ts';
import type { Masking } from '../../domain/secrets/mask-secrets.ts';
import { describeCallerWait } from '../text/caller-labels.ts';
import { BUDGET } from '../text/limits.ts';
import { dateText, mention, toPlainMrkdwn } from '../text/mrkdwn.ts';
import { describeStatus, endsWhenTaken } from '../text/status-labels.ts';
import { ACTIONS } from '../transport/ids.ts';
import { cardTitleOf } from './sections/heading.ts';
import { safeCutIndex } from './values/fit-values.ts';
import { type ArgumentsContext, renderArguments, renderText } from './values/render-arguments.ts';

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

const STOPPED = '⏹';

/** Returns the icon of a call's status. */
export function statusIconOf(call: Call): string {
  if (endsWhenTaken(call) && behaviourOf(call).runBy === 'graph') return ':outbox_tray:';
  const { outcome } = call;
  const isStopped = outcome?.kind === 'withdrawn' && outcome.cause === 'stop';
  return isStopped || wasStoppedByPerson(call) ? STOPPED : ICONS[call.status];
}

/** Builds the blocks of a settled card. */
export function buildSettled(
  call: Call,
  context: { readonly masking: Masking; readonly tool: ArgumentsContext | undefined },
  makeButton: (actionId: string, text: string) => Button,
): KnownBlock[] {
  const text = `${statusIconOf(call)} ${describeCallInMarkup(call, context)} · ${describeEnd(call, context.masking)}`;
  const details = makeButton(ACTIONS.open, 'Details');
  const mayAskAgain = call.status === 'expired' && behaviourOf(call).canAskAgain;
  const section: KnownBlock = {
    type: 'section',
    text: { type: 'mrkdwn', text, verbatim: true },
    expand: true,
    ...(mayAskAgain ? {} : { accessory: details }),
  };
  if (!mayAskAgain) return [section];
  const again = makeButton(ACTIONS.askAgain, 'Ask Again');
  return [section, { type: 'actions', elements: [again, details] }];
}

/**
 * Names a call in one line of markup. A call without a summary is quoted with its first argument.
 */
export function describeCallInMarkup(
  call: Call,
  context: Parameters<typeof buildSettled>[1],
): string {
  const name = nameInBold(call);
  const about = call.summary === undefined ? quoteMainArgument(call, context) : undefined;
  return about === undefined ? name : `${name} ${about}`;
}

/** Returns the title in bold, so that it can't be taken for the text after it. */
export function nameInBold(call: Call): string {
  return `*${toPlainMrkdwn(cardTitleOf(call))}*`;
}

/** Quotes the first text argument, or else the first argument, in the tool's order. */
function quoteMainArgument(
  call: Call,
  { masking, tool }: Parameters<typeof buildSettled>[1],
): string | undefined {
  if (behaviourOf(call).asksFor === 'form') return quote(call.words, masking);
  const args = readStoredJson(call.args);
  if (typeof args !== 'object' || args === null || Object.keys(args).length === 0) return undefined;
  const pieces = renderArguments(call.args, tool?.schema, masking);
  const isText = ({ key = '' }: { readonly key?: string }) =>
    typeof (args as { [key: string]: unknown })[key] === 'string';
  const piece = pieces.find((each) => isText(each) && each.text !== '') ?? pieces[0];
  return piece === undefined || piece.text === '' ? undefined : quoteShown(piece.text);
}

/** Quotes the beginning of a text in a line of markup. */
function quote(text: string, masking: Masking): string | undefined {
  const line = text.slice(0, MAX_QUOTED).trim();
  return line === '' ? undefined : quoteShown(renderText('', line, masking).text);
}

const MAX_QUOTED = 2_000;

/** Puts a text on one line, without the quotation marks that would end its quotation. */
export function asQuoted(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[“”]/g, '"').trim();
}

function quoteShown(text: string): string {
  const line = asQuoted(text);
  const isShort = line.length <= BUDGET.about;
  const shown = isShort ? line : `${line.slice(0, safeCutIndex(line, BUDGET.about))}…`;
  return `“${toPlainMrkdwn(shown)}”`;
}

const WITHDRAWALS: Readonly<Record<WithdrawalCause, string>> = {
  'new-message': 'withdrawn: the requester wrote a new message instead',
  'ignored-sibling': 'withdrawn: another call from the same message was ignored',
  stop: 'stopped',
  'turn-ended': 'withdrawn: the turn had ended',
  cancelled: 'withdrawn by the program that asked for it',
};

const VERDICTS = {
  approve: 'approved by',
  edit: 'edited and approved by',
  reply: 'answered by',
  ignore: 'ignored by',
  settle: 'settled by',
} as const;

/** Describes a call's status, who decided it and what a program reported; never a tool's result, which is for the model. */
function describeEnd(call: Call, masking: Masking): string {
  const parts = [stateOf(call, masking), describeVerdict(call), describeReport(call, masking)];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** Describes the status; undefined where the verdict says it all. */
function stateOf(call: Call, masking: Masking): string | undefined {
  if (behaviourOf(call).asksFor === 'form')
    return call.verdict === undefined ? lower(describeStatus(call)) : undefined;
  if (wasStoppedByPerson(call)) return 'stopped while it ran';
  switch (call.status) {
    case 'succeeded':
      return describeDone(call);
    case 'replied':
      return describeReply(call, masking);
    case 'ignored':
      return call.verdict === undefined ? 'ignored' : undefined;
    case 'withdrawn':
      return call.outcome?.kind === 'withdrawn' ? WITHDRAWALS[call.outcome.cause] : 'withdrawn';
    case 'refused':
      return describeRefusal(call, masking);
    default:
      return lower(describeStatus(call));
  }
}

function describeDone(call: Call): string | undefined {
  const { outside, verdict } = call;
  if (endsWhenTaken(call)) return outside && (describeCallerWait(call, outside) ?? 'handed over');
  return verdict === undefined ? 'done' : undefined;
}

/** Reports of programs are shown to people only, never to the model. */
function describeReport(call: Call, masking: Masking): string | undefined {
  const { outcome } = call;
  if (
    behaviourOf(call).runBy !== 'caller' ||
    (outcome?.kind !== 'result' && outcome?.kind !== 'error')
  )
    return undefined;
  const quoted = quote(outcome.text, masking);
  return quoted && `it reports ${quoted}`;
}

function describeReply(call: Call, masking: Masking): string | undefined {
  const { outcome } = call;
  const quoted = outcome?.kind === 'reply' ? quote(outcome.text, masking) : undefined;
  return quoted && `${behaviourOf(call).asksFor === 'text' ? 'answer' : 'reply'}: ${quoted}`;
}

function describeRefusal({ outcome }: Call, masking: Masking): string {
  const why = outcome?.kind === 'refused' ? quote(outcome.reason, masking) : undefined;
  return why === undefined ? 'refused by the policy' : `refused by the policy: ${why}`;
}

function lower(words: string): string {
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** Describes what a person did; answering a question approves nothing. */
export function describeVerdict(call: Call): string | undefined {
  const { verdict } = call;
  if (verdict === undefined || call.status === 'pending') return undefined;
  const approved = verdict.kind === 'approve' && call.votes.length > 1;
  const people = approved ? call.votes.map((vote) => vote.by.user) : [verdict.by.user];
  const names = [...new Set(people)].slice(0, 10).map(mention).join(', ');
  return `${describeDecisionKind(call, verdict.kind)} ${names}, ${dateText(verdict.at, '{time}')}`;
}

function describeDecisionKind(call: Call, kind: keyof typeof VERDICTS): string {
  if (behaviourOf(call).asksFor === 'form' && kind === 'edit') return 'answered by';
  return behaviourOf(call).asksFor === 'form' && kind === 'ignore' ? 'declined by' : VERDICTS[kind];
}

/** Builds the status block of a call that is decided, with who decided it. */
export function buildStatus(call: Call): KnownBlock[] {
  if (call.status === 'pending' || call.status === 'unknown') return [];
  const text = describeStatusWithIcon(call);
  return [{ type: 'section', text: { type: 'mrkdwn', text }, expand: true }];
}

/** Describes a call's status in one line, without untrusted text. */
export function describeStatusWithIcon(call: Call): string {
  return `${statusIconOf(call)} ${describeStatusOnly(call)}`;
}

/** Describes a call's status in one line, without the icon. */
export function describeStatusOnly(call: Call): string {
  const verdict = describeVerdict(call);
  const waitsFor = describeWait(call);
  const state = wasStoppedByPerson(call) ? 'Stopped' : describeStatus(call);
  const isRunning = call.status === 'running';
  const isOurs = isRunning && behaviourOf(call).runBy !== 'graph' && call.claim !== undefined;
  // People want to know first how long it has been running.
  const since = isOurs ? ` since ${dateText(call.claim?.at ?? 0, '{time_secs}')}` : '';
  const parts = [
    `*${isRunning && behaviourOf(call).runBy === 'graph' ? 'Handed over' : state}*${since}`,
    ...(verdict === undefined ? [] : [verdict]),
    ...(waitsFor === '' ? [] : [waitsFor]),
  ];
  return parts.join(' · ');
}

/** Says what an approved or handed-over call waits for; empty if nothing. */
function describeWait(call: Call): string {
  const { outside, status, siblings } = call;
  if (status === 'running' && behaviourOf(call).runBy === 'graph') {
    const when = siblings > 1 ? ', once the other calls from this message are decided' : '';
    return `The graph runs it itself${when}.`;
  }
  return (outside && describeCallerWait(call, outside)) ?? '';
}
