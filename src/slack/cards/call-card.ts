import type { KnownBlock } from '@slack/types';
import { type Call, isTerminal } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { maskingOfCall, requiresOpening } from '../../domain/calls/call-secrets.ts';
import { isThirdParty } from '../../domain/cards/call-name.ts';
import type { NotificationDetail } from '../../domain/cards/notification-detail.ts';
import { type Masking, needsOpening } from '../../domain/secrets/mask-secrets.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import { isNameUnescaped } from '../../domain/text/visible-text.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { callerLabel } from '../text/caller-labels.ts';
import { BUDGET } from '../text/limits.ts';
import { notificationText } from './notification-text.ts';
import { buildRunning, type ProgressLine } from './running-card.ts';
import { buildApproverGapWarning, buildReasons } from './sections/approvals.ts';
import { buildButtons, createButtonMaker, fitOnButtons } from './sections/buttons.ts';
import { buildEdit } from './sections/edit-summary.ts';
import { buildHeading, buildNote, questionInHeading } from './sections/heading.ts';
import { buildCardNote, type NoteContext } from './sections/note.ts';
import { buildPauseLine } from './sections/pause-notice.ts';
import { buildUnknownNotice } from './sections/unknown-notice.ts';
import { buildWarnings, MAX_CARD_DEPTH } from './sections/warnings.ts';
import { quoteServerQuestion } from './server-question.ts';
import { buildSettled } from './settled-card.ts';
import {
  type FittedValues,
  fitValues,
  type HiddenCharacterSums,
  sumHiddenCharacters,
  truncateValue,
} from './values/fit-values.ts';
import {
  type ArgumentsContext,
  renderArguments,
  renderText,
  type ShownArgument,
} from './values/render-arguments.ts';
import { buildQuote, buildValueBlock } from './values/rich-text-blocks.ts';
import { shownByPreview, withoutFileNames } from './values/shown-by-preview.ts';

/** Everything a card shows that is not stored in the call. */
export interface CardContext extends NoteContext {
  /** Undefined when the app does not know the tool. The call can then not be edited. */
  readonly tool?: ArgumentsContext;
  readonly mark: SecretMark;
  /** Set while the app is paused. */
  readonly paused?: Pause;
  /** How much the notification reveals. (Default: the summary.) */
  readonly detail?: NotificationDetail;
  /** The last progress report of a running tool. */
  readonly progress?: ProgressLine;
}

/** A message for Slack: the text of its notification, and its blocks. */
export interface CallCard {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/**
 * Builds the card of a call. A card that can't show the whole call says so and has no Approve
 * button. Text from the agent is never parsed as markup. A settled call is one line.
 */
export function buildCallCard(call: Call, context: CardContext): CallCard {
  const masking = maskingOfCall(call, context.tool, { mark: context.mark, reveals: false });
  return {
    text: cardNotificationText(call, context, masking),
    blocks: buildBlocks(call, context, masking),
  };
}

function cardNotificationText(
  call: Call,
  { detail = 'summary', availability }: CardContext,
  masking: Masking,
): string {
  // Screen readers need a description even with `none`: the neutral card is pushed first instead.
  return notificationText(call, {
    detail: detail === 'none' ? 'summary' : detail,
    masking,
    availability,
  });
}

function buildBlocks(call: Call, context: CardContext, masking: Masking): KnownBlock[] {
  if (isTerminal(call)) {
    return buildSettled(call, { masking, tool: context.tool }, createButtonMaker(call));
  }
  const heading = buildHeading(call, masking);
  if (call.status !== 'pending' && call.status !== 'unknown') {
    const pause = buildPauseLine(call, context.paused);
    return [heading, ...buildRunning(call, masking, context.progress), ...pause];
  }
  const { pieces, data, sums, whole } = fitCall(call, context, masking);
  const words = quoteAgentText(call, masking);
  const hasNothing = behaviourOf(call).asksFor === 'form' && call.args === '{}';
  return [
    heading,
    ...buildUnknownNotice(call, masking),
    ...buildNote(call, masking),
    ...buildOriginBlocks(call, masking),
    ...(hasNothing ? [] : buildValueBlock(data.pieces)),
    ...buildWarnings(sumHiddenCharacters([...pieces, ...words]), {
      missing: whole ? [] : describeCutValues(call, data, sums),
      reveals: false,
    }),
    ...words.map(buildQuote),
    ...buildReasons(call, masking),
    ...buildPauseLine(call, context.paused),
    ...buildApproverGapWarning(call, context.availability),
    ...buildButtons(call, {
      whole,
      size: Buffer.byteLength(call.args) + Buffer.byteLength(call.preview ?? ''),
      editable: context.tool !== undefined,
      masking,
    }),
    buildCardNote(call, masking, context),
  ];
}

/** Tells whether a card can show the whole call, so that it can be approved there. */
export function isWholeOnCard(call: Call, context: CardContext): boolean {
  const masking = maskingOfCall(call, context.tool, { mark: context.mark, reveals: false });
  return fitCall(call, context, masking).whole;
}

/** Fits the values of a call into a number of card rows. */
export function fitCall(
  call: Call,
  context: Pick<CardContext, 'tool'>,
  masking: Masking,
  rows: number = BUDGET.cardRows,
) {
  const all = renderCallValues(call, context.tool, masking);
  const { preview = '' } = call;
  const isShown = shownByPreview(call.args, preview, context.tool ?? {});
  const asked = questionInHeading(call, masking);
  const choices = call.outside?.choices ?? [];
  const pieces = all.flatMap((piece) => {
    const { key, part, secrets } = piece;
    const isSecret = Object.values(secrets).some((count) => count > 0);
    if (key !== undefined && !isSecret && (isShown.has(key) || asked !== undefined)) return [];
    if (part === 'choice' && fitOnButtons(choices, masking)) return [];
    return part === 'preview' ? [{ ...previewOnCard(call, masking), part }] : [piece];
  });
  const data = fitValues(pieces, {
    rows,
    each: ({ part }) => (part === 'preview' ? BUDGET.previewRows : BUDGET.argumentRows),
    count: BUDGET.cardPieces,
  });
  const sums = sumHiddenCharacters(all);
  const isReadable = data.whole && sums.depth <= MAX_CARD_DEPTH && !needsOpening(sums.secrets);
  // A caller can make an argument look like a secret. Nobody approves such a value unseen.
  const whole = isReadable && !requiresOpening(call, context.tool);
  return { pieces: all, data, sums, whole };
}

/** The preview needs no label: it comes first and explains itself. */
function previewOnCard({ args, preview = '' }: Call, masking: Masking): ShownArgument {
  return renderText('', withoutFileNames(args, preview), masking);
}

/** Renders the values of a call: its preview, its arguments, and the answers it offers. */
export function renderCallValues(
  call: Call,
  tool: ArgumentsContext | undefined,
  masking: Masking,
): readonly ShownArgument[] {
  const { preview = '' } = call;
  const usesTitles = !isThirdParty(call) && tool?.server === undefined;
  return [
    // The heading may cut this name off, so show it in full too.
    ...(isNameUnescaped(call.tool) ? [] : [renderText('Tool', call.tool, masking)]),
    ...(preview === ''
      ? []
      : [{ ...renderText('What it would do', preview, masking), part: 'preview' as const }]),
    ...renderArguments(call.args, tool?.schema, masking, { usesTitles }),
    ...renderChoices(call, masking),
  ];
}

/** Renders the answers that a call offers, each with its number. */
export function renderChoices(
  { outside }: Pick<Call, 'outside'>,
  masking: Masking,
): readonly ShownArgument[] {
  const choices = outside?.choices ?? [];
  return choices.map((choice, i) => ({
    ...renderText(`Answer ${i + 1}`, choice, masking),
    part: 'choice',
  }));
}

function describeCutValues(
  call: Call,
  data: FittedValues,
  sums: HiddenCharacterSums,
): readonly string[] {
  const left = data.leftOut === 1 ? '1 argument is' : `${data.leftOut} arguments are`;
  const how = call.status === 'pending' ? ' and decide' : '';
  return [
    ...(data.leftOut === 0 ? [] : [`${left} not on this card.`]),
    ...(sums.depth <= MAX_CARD_DEPTH ? [] : [`A value is nested ${sums.depth} levels deep.`]),
    `This card can’t show everything. Press Open to read it all${how}.`,
  ];
}

/** Builds the blocks above the arguments: a server's question, or who edited what. */
export function buildOriginBlocks(call: Call, masking: Masking): KnownBlock[] {
  return behaviourOf(call).asksFor === 'form'
    ? quoteServerQuestion(call, masking)
    : buildEdit(call, masking);
}

/** Only the beginning is shown, so a longer text need not be processed. */
const MAX_QUOTED = 20_000;

/**
 * Renders what the agent wrote next to the call, and the caller's own summary. Secrets of the call
 * are masked, even if the text repeats them.
 */
export function quoteAgentText(call: Call, masking: Masking): readonly ShownArgument[] {
  const { outside } = call;
  if (behaviourOf(call).asksFor === 'form') return [];
  const whose = outside === undefined ? '' : ` · ${callerLabel(outside)}`;
  return [
    ...quoteLine('Caller’s summary (unverified)', outside?.summary ?? '', masking),
    ...quoteLine(`Agent says (unverified)${whose}`, call.words, masking),
  ];
}

function quoteLine(label: string, text: string, masking: Masking): readonly ShownArgument[] {
  const words = text.trim();
  if (words === '') return [];
  const quoted = words.slice(0, MAX_QUOTED);
  const piece = renderText(label, quoted, masking);
  return [truncateValue(piece, BUDGET.words, piece.text.length + words.length - quoted.length)];
}
