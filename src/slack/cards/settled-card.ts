/** What a card becomes once its call is settled: one line. All else is in the full view. */
import type { Button, KnownBlock } from '@slack/types';
import { wasStoppedByPerson } from '../../desk/calls/execution/run-tool.ts';
import type { Call, CallStatus } from '../../domain/calls/call.ts';
import {
  canAskAgain,
  isAnswerOnly,
  isConsumedByCaller,
  isRunByGraph,
  isServerQuestion,
} from '../../domain/calls/call-origin.ts';
import type { WithdrawalCause } from '../../domain/calls/outcome.ts';
import { readStoredJson } from '../../domain/json/json.ts';
import type { Masking } from '../../domain/secrets/mask-secrets.ts';
import { BUDGET } from '../text/limits.ts';
import { dateText, mention, toPlainMrkdwn } from '../text/mrkdwn.ts';
import { ACTIONS } from '../transport/ids.ts';
import { describeCallerWait } from './sections/caller-labels.ts';
import { cardTitleOf } from './sections/heading.ts';
import { describeStatus, endsWhenTaken } from './sections/status-labels.ts';
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

/** Returns the sign of a call's state. */
export function statusIconOf(call: Call): string {
  if (endsWhenTaken(call) && isRunByGraph(call)) return ':outbox_tray:';
  const { outcome } = call;
  const isStopped = outcome?.kind === 'withdrawn' && outcome.cause === 'stop';
  return isStopped || wasStoppedByPerson(call) ? STOPPED : ICONS[call.status];
}

/** Makes the blocks of a settled card. */
export function buildSettled(
  call: Call,
  look: { readonly masking: Masking; readonly tool: ArgumentsContext | undefined },
  makeButton: (actionId: string, text: string) => Button,
): KnownBlock[] {
  const text = `${statusIconOf(call)} ${describeCallInMarkup(call, look)} · ${describeEnd(call, look.masking)}`;
  const details = makeButton(ACTIONS.open, 'Details');
  const asks = call.status === 'expired' && canAskAgain(call);
  const section: KnownBlock = {
    type: 'section',
    text: { type: 'mrkdwn', text, verbatim: true },
    expand: true,
    ...(asks ? {} : { accessory: details }),
  };
  if (!asks) return [section];
  const again = makeButton(ACTIONS.askAgain, 'Ask again');
  return [section, { type: 'actions', elements: [again, details] }];
}

/** Names a call in a line of markup; one that nothing sums up, with what it was about. */
export function describeCallInMarkup(call: Call, look: Parameters<typeof buildSettled>[1]): string {
  const name = nameInBold(call);
  const about = call.summary === undefined ? aboutOf(call, look) : undefined;
  return about === undefined ? name : `${name} ${about}`;
}

/** In bold, so that nothing in it can be taken for what we say behind it. */
export function nameInBold(call: Call): string {
  return `*${toPlainMrkdwn(cardTitleOf(call))}*`;
}

/** The first text among the arguments, or else the first of them, in the order of the tool, quoted. */
function aboutOf(
  call: Call,
  { masking, tool }: Parameters<typeof buildSettled>[1],
): string | undefined {
  if (isServerQuestion(call)) return quote(call.words, masking);
  const args = readStoredJson(call.args);
  if (typeof args !== 'object' || args === null || Object.keys(args).length === 0) return undefined;
  const pieces = renderArguments(call.args, tool?.schema, masking);
  const isText = ({ key = '' }: { readonly key?: string }) =>
    typeof (args as { [key: string]: unknown })[key] === 'string';
  const piece = pieces.find((each) => isText(each) && each.text !== '') ?? pieces[0];
  return piece === undefined || piece.text === '' ? undefined : quoteShown(piece.text);
}

/** Quotes the beginning of somebody's words in a line of markup. */
function quote(text: string, masking: Masking): string | undefined {
  const line = text.slice(0, LOOKED_AT).trim();
  return line === '' ? undefined : quoteShown(renderText('', line, masking).text);
}

const LOOKED_AT = 2_000;

/** Makes a text one line that can't end its own quotation. */
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
  'ignored-sibling': 'withdrawn: another call of the same message was ignored',
  stop: 'stopped',
  'turn-ended': 'withdrawn: the turn had ended',
  cancelled: 'withdrawn by the program that asked for it',
};

const LINE = {
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

/** What is said beside the verdict; nothing where the verdict says it all. */
function stateOf(call: Call, masking: Masking): string | undefined {
  if (isServerQuestion(call))
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

/** What a program reports is told to people here, and nowhere else. */
function describeReport(call: Call, masking: Masking): string | undefined {
  const { outcome } = call;
  if (!isConsumedByCaller(call) || (outcome?.kind !== 'result' && outcome?.kind !== 'error'))
    return undefined;
  const said = quote(outcome.text, masking);
  return said && `it reports ${said}`;
}

function describeReply(call: Call, masking: Masking): string | undefined {
  const { outcome } = call;
  const said = outcome?.kind === 'reply' ? quote(outcome.text, masking) : undefined;
  return said && `${isAnswerOnly(call) ? 'answer' : 'reply'}: ${said}`;
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

function describeDecisionKind(call: Call, kind: keyof typeof LINE): string {
  if (isServerQuestion(call) && kind === 'edit') return 'answered by';
  return isServerQuestion(call) && kind === 'ignore' ? 'declined by' : LINE[kind];
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

/** The same without its sign. */
export function describeStatusOnly(call: Call): string {
  const verdict = describeVerdict(call);
  const meanwhile = describeMeanwhile(call);
  const state = wasStoppedByPerson(call) ? 'Stopped' : describeStatus(call);
  const isRunning = call.status === 'running';
  const isOurs = isRunning && !isRunByGraph(call) && call.claim !== undefined;
  // For how long it has run is what people want to know first.
  const since = isOurs ? ` since ${dateText(call.claim?.at ?? 0, '{time_secs}')}` : '';
  const parts = [
    `*${isRunning && isRunByGraph(call) ? 'Handed over' : state}*${since}`,
    ...(verdict === undefined ? [] : [verdict]),
    ...(meanwhile === '' ? [] : [meanwhile]),
  ];
  return parts.join(' · ');
}

/** What a call that nobody runs yet, or somebody else, waits for; empty where it waits for nothing. */
function describeMeanwhile(call: Call): string {
  const { outside, status, siblings } = call;
  if (status === 'running' && isRunByGraph(call)) {
    const when = siblings > 1 ? ', once what it asked in one with it is decided' : '';
    return `It goes to the graph, which runs it itself${when}.`;
  }
  return (outside && describeCallerWait(call, outside)) ?? '';
}
