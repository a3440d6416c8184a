import type { KnownBlock } from '@slack/types';
import type { Call } from '../../domain/call.ts';
import type { JsonValue } from '../../domain/json.ts';
import { BUDGET } from '../limits.ts';
import { buildFacts, buildWarnings, sayAsker } from './card-facts.ts';
import { buildFoot, STATE_WORDS } from './card-foot.ts';
import { buildPiece, cutPiece, type FittedPieces, fitPieces, sumPieces } from './fit-pieces.ts';
import { type Masking, secretTexts } from './mask-secrets.ts';
import { type ArgsLook, type DataPiece, renderArgs, renderText } from './render-args.ts';
import { showName } from './visible-text.ts';

/** What the card takes from elsewhere than the call. */
export interface CardLook {
  /** Absent when the app does not know the tool (any more): then there is no form to edit with. */
  readonly tool?: ArgsLook;
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
  const secrets = look.tool?.secrets ?? [];
  const masking = {
    secrets: secretTexts(JSON.parse(call.args) as JsonValue, secrets),
    showsLookAlikes: false,
  };
  const pieces = [
    ...(call.preview === undefined || call.preview === ''
      ? []
      : [renderText('What it would do', call.preview, masking)]),
    ...renderArgs(call.args, look.tool, masking),
  ];
  const data = fitPieces(pieces, {
    characters: BUDGET.cardData,
    each: BUDGET.cardPiece,
    count: BUDGET.cardArguments,
  });
  const words = quoteWords(call.words, masking);
  const sums = sumPieces(pieces);
  // Whoever writes the arguments can make anything look like a secret: nobody approves that unseen.
  const whole = data.whole && sums.guessed === 0;
  const blocks: KnownBlock[] = [
    ...buildFacts(call),
    ...data.pieces.map(buildPiece),
    ...buildWarnings(sumPieces([...pieces, ...words]), sayMissing(call, data, whole)),
    ...words.map(buildPiece),
    ...buildFoot(call, {
      whole,
      editable: look.tool !== undefined,
      masking,
    }),
  ];
  return { text: notification(call), blocks };
}

function sayMissing(call: Call, data: FittedPieces, whole: boolean): readonly string[] {
  if (whole) return [];
  const left = data.leftOut === 1 ? '1 argument is' : `${data.leftOut} arguments are`;
  const lines = data.leftOut === 0 ? [] : [`:warning: ${left} not on this card.`];
  const how = call.status === 'pending' ? ' and approve it' : '';
  return [...lines, `:warning: Not everything is shown here. *Open* the whole call to read${how}.`];
}

/** The words are quoted without the secrets of the call, even when the agent repeats them. */
function quoteWords(words: string, masking: Masking): readonly DataPiece[] {
  if (words.trim() === '') return [];
  const piece = renderText('Agent says (unverified)', words, masking);
  return [cutPiece(piece, BUDGET.words)];
}

/** Our own words only: they go to lock screens. */
function notification(call: Call): string {
  const hint = call.status === 'pending' ? ' · open to review' : '';
  return `${showName(call.tool)}: ${STATE_WORDS[call.status]} · asked by ${sayAsker(call)}${hint}`;
}
