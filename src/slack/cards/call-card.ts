import type { KnownBlock } from '@slack/types';
import type { Call } from '../../domain/call.ts';
import { maskingOfCall, mustBeOpened } from '../../domain/call-secrets.ts';
import { type Masking, needsOpening } from '../../domain/mask-secrets.ts';
import { isElicitation, isQuestion } from '../../domain/outside.ts';
import type { SecretMark } from '../../domain/secret-mark.ts';
import { isNameWhole, showName } from '../../domain/visible-text.ts';
import { BUDGET } from '../limits.ts';
import { buildReasons } from './card-approvals.ts';
import { buildEdit } from './card-edit.ts';
import { buildFacts, type FactsLook, sayAsker } from './card-facts.ts';
import { buildFoot } from './card-foot.ts';
import { buildWarnings, MAX_CARD_DEPTH } from './card-warnings.ts';
import { elicitationTitle, quoteElicitation } from './elicitation.ts';
import {
  buildPieces,
  buildQuote,
  cutPiece,
  type FittedPieces,
  fitPieces,
  type PieceSums,
  sumPieces,
} from './fit-pieces.ts';
import { sayOutside } from './outside-words.ts';
import { type ArgsLook, type DataPiece, renderArgs, renderText } from './render-args.ts';
import { sayStatus } from './state-words.ts';

/** What the card takes from elsewhere than the call. */
export interface CardLook extends FactsLook {
  /** Absent when the app does not know the tool (any more): then there is no form to edit with. */
  readonly tool?: ArgsLook;
  readonly mark: SecretMark;
}

/** A card as Slack takes it: the words of its notification, and its blocks. */
export interface CallCard {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/**
 * Builds the card of a call: our facts, then the arguments as data, then the agent's words, then
 * what can be done or what was done. What does not fit is said in numbers, and can't be approved
 * from the card. Nothing of the agent's is ever markup, a button or in the notification.
 */
export function buildCallCard(call: Call, look: CardLook): CallCard {
  const masking = maskingOfCall(call, look.tool, { mark: look.mark, reveals: false });
  const { pieces, data, sums, whole } = fitCall(call, look, masking);
  const words = quoteWords(call, masking);
  const hasNothing = isElicitation(call) && call.args === '{}';
  const blocks: KnownBlock[] = [
    ...buildFacts(call, masking, look),
    ...sayBefore(call, masking),
    ...(hasNothing ? [] : buildPieces(data.pieces)),
    ...buildWarnings(sumPieces([...pieces, ...words]), {
      missing: whole ? [] : sayMissing(call, data, sums),
      reveals: false,
    }),
    ...words.map(buildQuote),
    ...buildReasons(call, masking),
    ...buildFoot(call, {
      whole,
      editable: look.tool !== undefined,
      masking,
    }),
  ];
  return { text: notification(call, look), blocks };
}

/** Tells whether a call can be read whole on its card, and so approved from there. */
export function fitsCard(call: Call, look: CardLook): boolean {
  const masking = maskingOfCall(call, look.tool, { mark: look.mark, reveals: false });
  return fitCall(call, look, masking).whole;
}

function fitCall(call: Call, look: CardLook, masking: Masking) {
  const pieces = renderCall(call, look.tool, masking);
  const data = fitPieces(pieces, {
    characters: BUDGET.cardData,
    each: BUDGET.cardPiece,
    count: BUDGET.cardArguments,
  });
  const sums = sumPieces(pieces);
  // An argument can be made to look like a secret, or be declared one: nobody approves that unseen.
  const isOpen = !needsOpening(sums.secrets) && !mustBeOpened(call, look.tool);
  const whole = data.whole && isOpen && sums.depth <= MAX_CARD_DEPTH;
  return { pieces, data, sums, whole };
}

/** Makes the pieces of a call: what it would do, as far as we know that, its arguments, and the answers that it offers. */
export function renderCall(
  call: Call,
  tool: ArgsLook | undefined,
  masking: Masking,
): readonly DataPiece[] {
  const { preview = '' } = call;
  return [
    // What the heading cuts off is to be read too.
    ...(isNameWhole(call.tool) ? [] : [renderText('Tool', call.tool, masking)]),
    ...(preview === '' ? [] : [renderText('What it would do', preview, masking)]),
    ...renderArgs(call.args, tool?.schema, masking),
    ...renderChoices(call, masking),
  ];
}

/** Makes the pieces of the answers that a call offers, each with its number. */
export function renderChoices(
  { outside }: Pick<Call, 'outside'>,
  masking: Masking,
): readonly DataPiece[] {
  const choices = outside?.choices ?? [];
  return choices.map((choice, i) => renderText(`Answer ${i + 1}`, choice, masking));
}

function sayMissing(call: Call, data: FittedPieces, sums: PieceSums): readonly string[] {
  const left = data.leftOut === 1 ? '1 argument is' : `${data.leftOut} arguments are`;
  const how = call.status === 'pending' ? ' and approve it' : '';
  return [
    ...(data.leftOut === 0 ? [] : [`${left} not on this card.`]),
    ...(sums.depth <= MAX_CARD_DEPTH ? [] : [`A value is nested ${sums.depth} levels deep.`]),
    `Not everything can be read here. Open the whole call to read${how}.`,
  ];
}

/** Makes the blocks between our facts and the arguments: what a server asks, or who edited what. */
export function sayBefore(call: Call, masking: Masking): KnownBlock[] {
  return isElicitation(call) ? quoteElicitation(call, masking) : buildEdit(call, masking);
}

/** Words are never shown whole: of very long ones no more is looked at. */
const LOOKED_AT = 20_000;

/** Makes the piece of the agent's words beside a call, if there are any: without the secrets of the call, even when the agent repeats them. */
export function quoteWords(call: Call, masking: Masking): readonly DataPiece[] {
  const { outside } = call;
  const words = call.words.trim();
  if (words === '' || isElicitation(call)) return [];
  const whose = outside === undefined ? '' : ` · ${sayOutside(outside)}`;
  const looked = words.slice(0, LOOKED_AT);
  const piece = renderText(`Agent says (unverified)${whose}`, looked, masking);
  return [cutPiece(piece, BUDGET.words, piece.text.length + words.length - looked.length)];
}

/** Our own words only: they go to lock screens. */
function notification(call: Call, { outlook }: CardLook): string {
  if (isElicitation(call)) return `${elicitationTitle(call)}: ${sayStatus(call)}`;
  const open = isQuestion(call) ? 'open to answer' : 'open to review';
  const hint = call.status === 'pending' ? ` · ${open}` : '';
  return `${showName(call.tool)}: ${sayStatus(call)} · asked by ${sayAsker(call, outlook)}${hint}`;
}
