import type { KnownBlock } from '@slack/types';
import { type Call, isTerminal } from '../../domain/calls/call.ts';
import { isServerQuestion } from '../../domain/calls/call-origin.ts';
import { isThirdParty } from '../../domain/cards/call-name.ts';
import type { NotificationDetail } from '../../domain/cards/notification-detail.ts';
import { maskingOfCall, requiresOpening } from '../../domain/secrets/call-secrets.ts';
import { type Masking, needsOpening } from '../../domain/secrets/mask-secrets.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import { isNameUnescaped } from '../../domain/text/visible-text.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { BUDGET } from '../text/limits.ts';
import { notificationText } from './notification-text.ts';
import { buildRunning, type ProgressLine } from './running-card.ts';
import { buildApproverGapWarning, buildReasons } from './sections/approvals.ts';
import { buildButtons, createButtonMaker, fitOnButtons } from './sections/buttons.ts';
import { callerLabel } from './sections/caller-labels.ts';
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

/** What the card takes from elsewhere than the call. */
export interface CardContext extends NoteContext {
  /** Absent when the app does not know the tool (any more): then there is no form to edit with. */
  readonly tool?: ArgumentsContext;
  readonly mark: SecretMark;
  /** Nothing runs until it ends. */
  readonly paused?: Pause;
  /** How much the notification tells. (Default: the summary.) */
  readonly detail?: NotificationDetail;
  /** What the tool said last while it runs. */
  readonly progress?: ProgressLine;
}

/** A card as Slack takes it: the words of its notification, and its blocks. */
export interface CallCard {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/**
 * Builds the card of a call: what it does, the arguments as data, the agent's words, what can be
 * pressed, and a small line of facts. What does not fit is said, and can't be approved from the
 * card. Nothing of the agent's is ever markup; a settled call is one line.
 */
export function buildCallCard(call: Call, look: CardContext): CallCard {
  const masking = maskingOfCall(call, look.tool, { mark: look.mark, reveals: false });
  return {
    text: cardNotificationText(call, look, masking),
    blocks: buildBlocks(call, look, masking),
  };
}

function cardNotificationText(
  call: Call,
  { detail = 'summary', outlook }: CardContext,
  masking: Masking,
): string {
  // A card that people read with their ears says what it is: what is pushed without it, is neutral.
  return notificationText(call, {
    detail: detail === 'none' ? 'summary' : detail,
    masking,
    outlook,
  });
}

function buildBlocks(call: Call, look: CardContext, masking: Masking): KnownBlock[] {
  if (isTerminal(call)) {
    return buildSettled(call, { masking, tool: look.tool }, createButtonMaker(call));
  }
  const heading = buildHeading(call, masking);
  if (call.status !== 'pending' && call.status !== 'unknown') {
    const pause = buildPauseLine(call, look.paused);
    return [heading, ...buildRunning(call, masking, look.progress), ...pause];
  }
  const { pieces, data, sums, whole } = fitCall(call, look, masking);
  const words = quoteAgentText(call, masking);
  const hasNothing = isServerQuestion(call) && call.args === '{}';
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
    ...buildPauseLine(call, look.paused),
    ...buildApproverGapWarning(call, look.outlook),
    ...buildButtons(call, {
      whole,
      size: Buffer.byteLength(call.args) + Buffer.byteLength(call.preview ?? ''),
      editable: look.tool !== undefined,
      masking,
    }),
    buildCardNote(call, masking, look),
  ];
}

/** Tells whether a call can be read whole on its card, and so approved from there. */
export function isWholeOnCard(call: Call, look: CardContext): boolean {
  const masking = maskingOfCall(call, look.tool, { mark: look.mark, reveals: false });
  return fitCall(call, look, masking).whole;
}

/** Fits what is to be read of a call into so many rows of a card. */
export function fitCall(
  call: Call,
  look: Pick<CardContext, 'tool'>,
  masking: Masking,
  rows: number = BUDGET.cardRows,
) {
  const all = renderCallValues(call, look.tool, masking);
  const { preview = '' } = call;
  const isShown = shownByPreview(call.args, preview, look.tool ?? {});
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
  // An argument can be made to look like a secret, or be declared one: nobody approves that unseen.
  const whole = isReadable && !requiresOpening(call, look.tool);
  return { pieces: all, data, sums, whole };
}

/** Without a label: it comes first and explains itself. */
function previewOnCard({ args, preview = '' }: Call, masking: Masking): ShownArgument {
  return renderText('', withoutFileNames(args, preview), masking);
}

/** Makes the pieces of a call: what it would do, as far as we know that, its arguments, and the answers that it offers. */
export function renderCallValues(
  call: Call,
  tool: ArgumentsContext | undefined,
  masking: Masking,
): readonly ShownArgument[] {
  const { preview = '' } = call;
  const usesTitles = !isThirdParty(call) && tool?.server === undefined;
  return [
    // What the heading cuts off is to be read too.
    ...(isNameUnescaped(call.tool) ? [] : [renderText('Tool', call.tool, masking)]),
    ...(preview === ''
      ? []
      : [{ ...renderText('What it would do', preview, masking), part: 'preview' as const }]),
    ...renderArguments(call.args, tool?.schema, masking, { usesTitles }),
    ...renderChoices(call, masking),
  ];
}

/** Makes the pieces of the answers that a call offers, each with its number. */
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
    `Not everything can be read here. Open it to read${how}.`,
  ];
}

/** Makes the blocks between our facts and the arguments: what a server asks, or who edited what. */
export function buildOriginBlocks(call: Call, masking: Masking): KnownBlock[] {
  return isServerQuestion(call) ? quoteServerQuestion(call, masking) : buildEdit(call, masking);
}

/** Words are never shown whole: of very long ones no more is looked at. */
const LOOKED_AT = 20_000;

/** Makes the pieces of the agent's words beside a call, and of a third party's own summary of it: without the secrets of the call, even when they repeat them. */
export function quoteAgentText(call: Call, masking: Masking): readonly ShownArgument[] {
  const { outside } = call;
  if (isServerQuestion(call)) return [];
  const whose = outside === undefined ? '' : ` · ${callerLabel(outside)}`;
  return [
    ...quoteLine('Its own summary (unverified)', outside?.summary ?? '', masking),
    ...quoteLine(`Agent says (unverified)${whose}`, call.words, masking),
  ];
}

function quoteLine(label: string, said: string, masking: Masking): readonly ShownArgument[] {
  const words = said.trim();
  if (words === '') return [];
  const looked = words.slice(0, LOOKED_AT);
  const piece = renderText(label, looked, masking);
  return [truncateValue(piece, BUDGET.words, piece.text.length + words.length - looked.length)];
}
