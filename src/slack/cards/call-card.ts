import type { KnownBlock } from '@slack/types';
import { type Call, isTerminal } from '../../domain/calls/call.ts';
import { isElicitation } from '../../domain/calls/call-origin.ts';
import { isThirdParty } from '../../domain/cards/call-name.ts';
import type { NotificationDetail } from '../../domain/cards/notification-detail.ts';
import { maskingOfCall, mustBeOpened } from '../../domain/secrets/call-secrets.ts';
import { type Masking, needsOpening } from '../../domain/secrets/mask-secrets.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import { isNameWhole } from '../../domain/text/visible-text.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { BUDGET } from '../text/limits.ts';
import { pushText } from './notification-text.ts';
import { buildRunning, type ProgressLine } from './running-card.ts';
import { buildGap, buildReasons } from './sections/approvals.ts';
import { areButtons, buildFoot, buttonMaker } from './sections/buttons.ts';
import { sayOutside } from './sections/caller-labels.ts';
import { buildEdit } from './sections/edit-summary.ts';
import { askedInHeading, buildHeading, buildNote } from './sections/heading.ts';
import { buildCardNote, type NoteLook } from './sections/note.ts';
import { buildPauseLine } from './sections/pause-notice.ts';
import { buildState } from './sections/unknown-notice.ts';
import { buildWarnings, MAX_CARD_DEPTH } from './sections/warnings.ts';
import { quoteElicitation } from './server-question.ts';
import { buildSettled } from './settled-card.ts';
import {
  cutPiece,
  type FittedPieces,
  fitPieces,
  type PieceSums,
  sumPieces,
} from './values/fit-values.ts';
import {
  type ArgsLook,
  type DataPiece,
  renderArgs,
  renderText,
} from './values/render-arguments.ts';
import { buildPieces, buildQuote } from './values/rich-text-blocks.ts';
import { shownByPreview, withoutFileNames } from './values/shown-by-preview.ts';

/** What the card takes from elsewhere than the call. */
export interface CardLook extends NoteLook {
  /** Absent when the app does not know the tool (any more): then there is no form to edit with. */
  readonly tool?: ArgsLook;
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
export function buildCallCard(call: Call, look: CardLook): CallCard {
  const masking = maskingOfCall(call, look.tool, { mark: look.mark, reveals: false });
  return { text: sayPush(call, look, masking), blocks: buildBlocks(call, look, masking) };
}

function sayPush(call: Call, { detail = 'summary', outlook }: CardLook, masking: Masking): string {
  // A card that people read with their ears says what it is: what is pushed without it, is neutral.
  return pushText(call, { detail: detail === 'none' ? 'summary' : detail, masking, outlook });
}

function buildBlocks(call: Call, look: CardLook, masking: Masking): KnownBlock[] {
  if (isTerminal(call)) {
    return buildSettled(call, { masking, tool: look.tool }, buttonMaker(call));
  }
  const heading = buildHeading(call, masking);
  if (call.status !== 'pending' && call.status !== 'unknown') {
    const pause = buildPauseLine(call, look.paused);
    return [heading, ...buildRunning(call, masking, look.progress), ...pause];
  }
  const { pieces, data, sums, whole } = fitCall(call, look, masking);
  const words = quoteWords(call, masking);
  const hasNothing = isElicitation(call) && call.args === '{}';
  return [
    heading,
    ...buildState(call, masking),
    ...buildNote(call, masking),
    ...sayBefore(call, masking),
    ...(hasNothing ? [] : buildPieces(data.pieces)),
    ...buildWarnings(sumPieces([...pieces, ...words]), {
      missing: whole ? [] : sayMissing(call, data, sums),
      reveals: false,
    }),
    ...words.map(buildQuote),
    ...buildReasons(call, masking),
    ...buildPauseLine(call, look.paused),
    ...buildGap(call, look.outlook),
    ...buildFoot(call, {
      whole,
      size: Buffer.byteLength(call.args) + Buffer.byteLength(call.preview ?? ''),
      editable: look.tool !== undefined,
      masking,
    }),
    buildCardNote(call, masking, look),
  ];
}

/** Tells whether a call can be read whole on its card, and so approved from there. */
export function fitsCard(call: Call, look: CardLook): boolean {
  const masking = maskingOfCall(call, look.tool, { mark: look.mark, reveals: false });
  return fitCall(call, look, masking).whole;
}

/** Fits what is to be read of a call into so many rows of a card. */
export function fitCall(
  call: Call,
  look: Pick<CardLook, 'tool'>,
  masking: Masking,
  rows: number = BUDGET.cardRows,
) {
  const all = renderCall(call, look.tool, masking);
  const { preview = '' } = call;
  const isShown = shownByPreview(call.args, preview, look.tool ?? {});
  const asked = askedInHeading(call, masking);
  const choices = call.outside?.choices ?? [];
  const pieces = all.flatMap((piece) => {
    const { key, part, secrets } = piece;
    const isSecret = Object.values(secrets).some((count) => count > 0);
    if (key !== undefined && !isSecret && (isShown.has(key) || asked !== undefined)) return [];
    if (part === 'choice' && areButtons(choices, masking)) return [];
    return part === 'preview' ? [{ ...previewOnCard(call, masking), part }] : [piece];
  });
  const data = fitPieces(pieces, {
    rows,
    each: ({ part }) => (part === 'preview' ? BUDGET.previewRows : BUDGET.argumentRows),
    count: BUDGET.cardPieces,
  });
  const sums = sumPieces(all);
  const isReadable = data.whole && sums.depth <= MAX_CARD_DEPTH && !needsOpening(sums.secrets);
  // An argument can be made to look like a secret, or be declared one: nobody approves that unseen.
  const whole = isReadable && !mustBeOpened(call, look.tool);
  return { pieces: all, data, sums, whole };
}

/** Without a label: it comes first and explains itself. */
function previewOnCard({ args, preview = '' }: Call, masking: Masking): DataPiece {
  return renderText('', withoutFileNames(args, preview), masking);
}

/** Makes the pieces of a call: what it would do, as far as we know that, its arguments, and the answers that it offers. */
export function renderCall(
  call: Call,
  tool: ArgsLook | undefined,
  masking: Masking,
): readonly DataPiece[] {
  const { preview = '' } = call;
  const usesTitles = !isThirdParty(call) && tool?.server === undefined;
  return [
    // What the heading cuts off is to be read too.
    ...(isNameWhole(call.tool) ? [] : [renderText('Tool', call.tool, masking)]),
    ...(preview === ''
      ? []
      : [{ ...renderText('What it would do', preview, masking), part: 'preview' as const }]),
    ...renderArgs(call.args, tool?.schema, masking, { usesTitles }),
    ...renderChoices(call, masking),
  ];
}

/** Makes the pieces of the answers that a call offers, each with its number. */
export function renderChoices(
  { outside }: Pick<Call, 'outside'>,
  masking: Masking,
): readonly DataPiece[] {
  const choices = outside?.choices ?? [];
  return choices.map((choice, i) => ({
    ...renderText(`Answer ${i + 1}`, choice, masking),
    part: 'choice',
  }));
}

function sayMissing(call: Call, data: FittedPieces, sums: PieceSums): readonly string[] {
  const left = data.leftOut === 1 ? '1 argument is' : `${data.leftOut} arguments are`;
  const how = call.status === 'pending' ? ' and decide' : '';
  return [
    ...(data.leftOut === 0 ? [] : [`${left} not on this card.`]),
    ...(sums.depth <= MAX_CARD_DEPTH ? [] : [`A value is nested ${sums.depth} levels deep.`]),
    `Not everything can be read here. Open it to read${how}.`,
  ];
}

/** Makes the blocks between our facts and the arguments: what a server asks, or who edited what. */
export function sayBefore(call: Call, masking: Masking): KnownBlock[] {
  return isElicitation(call) ? quoteElicitation(call, masking) : buildEdit(call, masking);
}

/** Words are never shown whole: of very long ones no more is looked at. */
const LOOKED_AT = 20_000;

/** Makes the pieces of the agent's words beside a call, and of a third party's own summary of it: without the secrets of the call, even when they repeat them. */
export function quoteWords(call: Call, masking: Masking): readonly DataPiece[] {
  const { outside } = call;
  if (isElicitation(call)) return [];
  const whose = outside === undefined ? '' : ` · ${sayOutside(outside)}`;
  return [
    ...quoteLine('Its own summary (unverified)', outside?.summary ?? '', masking),
    ...quoteLine(`Agent says (unverified)${whose}`, call.words, masking),
  ];
}

function quoteLine(label: string, said: string, masking: Masking): readonly DataPiece[] {
  const words = said.trim();
  if (words === '') return [];
  const looked = words.slice(0, LOOKED_AT);
  const piece = renderText(label, looked, masking);
  return [cutPiece(piece, BUDGET.words, piece.text.length + words.length - looked.length)];
}
