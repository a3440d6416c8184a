/** The card of several calls of one message, with one button to approve all shown in full. */
import type { Button, KnownBlock, SectionBlock } from '@slack/types';
import { type Call, isTerminal } from '../../domain/calls/call.ts';
import { maskingOfCall } from '../../domain/calls/call-secrets.ts';
import { encodeCardTokens } from '../../domain/calls/digest.ts';
import { isDirect } from '../../domain/people/sender-policy.ts';
import type { ShownCall } from '../../domain/ports/chat.ts';
import type { Masking } from '../../domain/secrets/mask-secrets.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import { BUDGET, LIMITS } from '../text/limits.ts';
import { mention, mentionChannel, toPlainMrkdwn, toPlainText } from '../text/mrkdwn.ts';
import { writeSentence } from '../text/write-sentence.ts';
import { ACTIONS } from '../transport/ids.ts';
import { type CallCard, type CardContext, fitCall, quoteAgentText } from './call-card.ts';
import { buildApproverGapWarning } from './sections/approvals.ts';
import { buildApproveButton, createButtonMaker } from './sections/buttons.ts';
import { cardTitleOf, describeRequester, listTitleOf } from './sections/heading.ts';
import { buildCardNote, describeSimilarCall } from './sections/note.ts';
import { buildPauseLine } from './sections/pause-notice.ts';
import { buildWarnings } from './sections/warnings.ts';
import {
  buildSettled,
  describeCallInMarkup,
  describeStatusOnly,
  nameInBold,
  statusIconOf,
} from './settled-card.ts';
import { rowsOf, safeCutIndex, sumHiddenCharacters, truncateValue } from './values/fit-values.ts';
import { renderText, type ShownArgument } from './values/render-arguments.ts';
import { buildQuote, buildValueBlock } from './values/rich-text-blocks.ts';

/** Everything the card shows that is not stored in its calls. */
export interface SharedCardContext extends Omit<CardContext, 'tool' | 'availability' | 'progress'> {
  readonly toolOf: (call: Call) => Tool | undefined;
}

/** A call with the part of it that the card shows. */
interface Line extends ShownCall {
  readonly masking: Masking;
  readonly tool: Tool | undefined;
  /** Undefined if the call must be opened to be read. */
  readonly pieces: readonly ShownArgument[] | undefined;
}

/** Builds the card of several calls, the lead first. Text from the agent is never markup. */
export function buildSharedCard(shown: readonly ShownCall[], context: SharedCardContext): CallCard {
  const card = buildOf(toLines(shown, context, BUDGET.sharedRows), context);
  if (charactersIn(card.blocks) <= LIMITS.messageCharacters) return card;
  return buildOf(toLines(shown, context, 0), context);
}

function buildOf(lines: readonly Line[], context: SharedCardContext): CallCard {
  const text = sharedNotificationText(lines);
  if (lines.every(({ call }) => isTerminal(call))) {
    return { text, blocks: lines.flatMap(buildEnded) };
  }
  const common = commonPieces(lines);
  const isCommon = new Set(common.map(nameOf));
  const blocks: KnownBlock[] = [
    buildSharedHeading(lines),
    ...buildCommon(common, lines),
    ...lines.flatMap((line) => buildLine(line, isCommon)),
    ...buildWarnings(sumHiddenCharacters(lines.flatMap(({ pieces = [] }) => pieces)), {
      reveals: false,
    }),
    ...buildWords(lines),
    ...buildActions(lines),
    ...buildLeftOut(lines),
    ...lines.flatMap(({ call }) => buildPauseLine(call, context.paused)).slice(0, 1),
    ...lines
      .flatMap(({ call, availability }) => buildApproverGapWarning(call, availability))
      .slice(0, 1),
    ...buildSharedNote(lines, context),
  ];
  return { text, blocks };
}

/** Returns the calls that *Approve All* approves: those shown in full on this card. */
function approvable(lines: readonly Pick<Line, 'call' | 'pieces'>[]): readonly Call[] {
  return lines.flatMap(({ call, pieces }) => (mayApprove(call) && pieces ? [call] : []));
}

function mayApprove({ route, status }: Call): boolean {
  const allows = route?.decisions.includes('approve') === true && !route.requiresReason;
  return status === 'pending' && allows;
}

function charactersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => {
    const length = name === 'text' && typeof inner === 'string' ? inner.length : 0;
    return sum + length + charactersIn(inner);
  }, 0);
}

/** Finds which calls can be shown in full within a number of rows. */
function toLines(
  shown: readonly ShownCall[],
  context: SharedCardContext,
  allRows: number,
): readonly Line[] {
  let left = allRows;
  return shown.map((each) => {
    const { call } = each;
    const tool = context.toolOf(call);
    const masking = maskingOfCall(call, tool, { mark: context.mark, reveals: false });
    if (call.status !== 'pending') return { ...each, tool, masking, pieces: undefined };
    const rows = Math.min(left, BUDGET.sharedCallRows);
    const { data, whole } = fitCall(call, tool ? { tool } : {}, masking, rows);
    if (!whole) return { ...each, tool, masking, pieces: undefined };
    left -= data.pieces.reduce((sum, piece) => sum + rowsOf(`${piece.label} ${piece.text}`), 0);
    return { ...each, tool, masking, pieces: data.pieces };
  });
}

/** Returns the values that all fully shown calls have in common; these are printed once. */
function commonPieces(lines: readonly Line[]): readonly ShownArgument[] {
  const read = lines.flatMap(({ pieces }) => (pieces ? [pieces] : []));
  const [first = [], ...others] = read;
  if (others.length === 0) return [];
  const names = others.map((pieces) => new Set(pieces.map(nameOf)));
  return first.filter((piece) => names.every((each) => each.has(nameOf(piece))));
}

function nameOf({ label, list, name, set, text }: ShownArgument): string {
  return JSON.stringify([label, name, set, text, list]);
}

function buildCommon(common: readonly ShownArgument[], lines: readonly Line[]): KnownBlock[] {
  const [first] = lines;
  if (common.length === 0 || first === undefined) return [];
  const count = lines.filter(({ pieces }) => pieces).length;
  const isAll = count === lines.length;
  const label = renderText(
    isAll ? 'Same for all calls' : `Same for ${count} calls`,
    '',
    first.masking,
  );
  return buildValueBlock([label, ...common]);
}

function titleOfAll(lines: readonly Line[]): string {
  const [first] = lines;
  if (first === undefined) return '';
  const isOneTool = lines.every(
    ({ call }) => call.tool === first.call.tool && call.server === first.call.server,
  );
  const head = isOneTool ? `${lines.length} × ${listTitleOf(first.call)}` : `${lines.length} calls`;
  const title = `${head}: ${cardTitleOf(first.call)} and ${lines.length - 1} more`;
  if (title.length <= MAX_TITLE) return title;
  return head.slice(0, safeCutIndex(head, MAX_TITLE));
}

const HIGH = '⚠ ';
const MAX_TITLE = LIMITS.headerText - HIGH.length;

function buildSharedHeading(lines: readonly Line[]): KnownBlock {
  const isHigh = lines.some(({ call }) => call.risk === 'high' && !isTerminal(call));
  const text = `${isHigh ? HIGH : ''}${titleOfAll(lines)}`;
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

function buildEnded({ call, masking, tool }: Line): KnownBlock[] {
  return buildSettled(call, { masking, tool }, createButtonMaker(call));
}

function buildLine(line: Line, isCommon: ReadonlySet<string>): KnownBlock[] {
  const { call, pieces = [] } = line;
  if (isTerminal(call)) return buildEnded(line);
  const own = pieces.filter((piece) => !isCommon.has(nameOf(piece)));
  const { note = '' } = call;
  const noted =
    typeof note === 'string' && note !== ''
      ? [truncateValue(renderText('Note', note, line.masking), BUDGET.askedLine)]
      : [];
  return [buildTop(line), ...buildValueBlock([...noted, ...own])];
}

/** Builds the line of an unsettled call, with the button that opens it. */
function buildTop({ call, progress, availability: _availability, ...line }: Line): SectionBlock {
  const { note = '' } = call;
  const parts = [
    `${statusIconOf(call)} ${describeCallInMarkup(call, line)}`,
    ...(call.status === 'pending' ? describePending(call) : [describeStatusOnly(call)]),
    ...(progress ? [toPlainMrkdwn(renderText('', progress.text, line.masking).text)] : []),
  ];
  const noted = typeof note === 'string' ? '' : `\n${writeSentence(note)}`;
  const isOpen = call.status === 'pending' || call.status === 'unknown';
  const button = createButtonMaker(call);
  return {
    type: 'section',
    text: { type: 'mrkdwn', text: `${parts.join(' · ')}${noted}`, verbatim: true },
    expand: true,
    accessory: isOpen ? button(ACTIONS.review, 'Open') : button(ACTIONS.open, 'Details'),
  };
}

function describePending(call: Call): readonly string[] {
  const { earlier, editedBy, risk, route, votes } = call;
  const quorum = route?.quorum ?? 1;
  return [
    ...(risk === 'high' ? [':warning: high risk'] : []),
    ...(quorum > 1 ? [`${votes.length} of ${quorum} approvals`] : []),
    ...(editedBy === undefined ? [] : [`edited by ${mention(editedBy.user)}`]),
    ...(earlier === undefined ? [] : [describeSimilarCall(earlier)]),
  ];
}

/** Quotes what the agent wrote, if it is the same for all calls. */
function buildWords(lines: readonly Line[]): KnownBlock[] {
  const [first] = lines;
  if (first === undefined || lines.some(({ call }) => call.words !== first.call.words)) return [];
  const { outside: _its, ...call } = first.call;
  return quoteAgentText(call, first.masking).map(buildQuote);
}

function buildActions(lines: readonly Line[]): KnownBlock[] {
  const calls = approvable(lines);
  const [only, ...more] = calls;
  if (only === undefined) return [];
  const isLast = lines.filter(({ call }) => call.status === 'pending').length === 1;
  if (more.length === 0) {
    // Next to other pending calls it would be unclear which one this approves.
    return isLast
      ? [{ type: 'actions', elements: [buildApproveButton(only, createButtonMaker(only))] }]
      : [];
  }
  return [{ type: 'actions', elements: [makeApproveAll(calls)] }];
}

const MAX_CONFIRM = 300;

/** Its value lists the attempts shown on the card, so that it approves nothing else. */
function makeApproveAll(calls: readonly Call[]): Button {
  const text = `Approve All ${calls.length}`;
  const plain = (words: string) => ({ type: 'plain_text' as const, text: words, emoji: false });
  const names = calls.map((call) => cardTitleOf(call)).join('; ');
  const shown =
    names.length <= MAX_CONFIRM
      ? names
      : `${names.slice(0, safeCutIndex(names, MAX_CONFIRM - 1))}…`;
  const confirm = {
    title: plain(`Approve ${calls.length} calls?`),
    text: plain(shown),
    confirm: plain(text),
    deny: plain('Cancel'),
  };
  return {
    type: 'button',
    action_id: ACTIONS.approveAll,
    style: 'primary',
    text: plain(text),
    value: encodeCardTokens(calls),
    ...(calls.some(({ risk }) => risk === 'high') && { confirm }),
  };
}

const MAX_NAMED = 5;

/** Names the calls that the button does not approve. */
function buildLeftOut(lines: readonly Line[]): KnownBlock[] {
  const left = lines
    .filter(({ call, pieces }) => mayApprove(call) && !pieces)
    .map(({ call }) => call);
  if (left.length === 0) return [];
  const names = left.slice(0, MAX_NAMED).map(nameInBold).join(', ');
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : '';
  const which = left.length === 1 ? 'this one to read it' : `these ${left.length} to read them`;
  const text = `Open ${which} in full: ${names}${more}`;
  return [{ type: 'section', text: { type: 'mrkdwn', text, verbatim: true }, expand: true }];
}

/** Builds the note for all calls, from the pending call that has the fewest approvals. */
function buildSharedNote(lines: readonly Line[], context: SharedCardContext): KnownBlock[] {
  const waiting = lines
    .filter(({ call }) => call.status === 'pending')
    .sort((a, b) => a.call.votes.length - b.call.votes.length);
  const line = waiting[0] ?? lines[0];
  if (line === undefined) return [];
  const { calls, asked } = context;
  const { call, masking, availability } = line;
  return [
    buildCardNote(call, masking, {
      isShared: true,
      ...(availability && { availability }),
      ...(calls && { calls }),
      ...(asked && { asked }),
    }),
  ];
}

function sharedNotificationText(lines: readonly Line[]): string {
  const title = toPlainText(titleOfAll(lines));
  const waiting = lines.find(({ call }) => call.status === 'pending');
  if (waiting === undefined) return `${title}: no call is waiting for a decision.`;
  const { channel } = placeOf(waiting.call.thread);
  const where = isDirect(channel) ? '' : ` in ${mentionChannel(channel)}`;
  return `Approve? ${title}. Asked by ${describeRequester(waiting.call, waiting.availability)}${where}.`;
}
