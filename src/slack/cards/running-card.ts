/** The card of a call that is approved or runs: how it gets on, and how to stop it. */
import type { Button, KnownBlock } from '@slack/types';
import type { Call } from '../../domain/call.ts';
import { isElsewhere } from '../../domain/card-home.ts';
import type { Masking } from '../../domain/mask-secrets.ts';
import { isTaken } from '../../domain/outside.ts';
import { ACTIONS } from '../ids.ts';
import { BUDGET } from '../limits.ts';
import { encodeTurnToken, isTurnToken } from '../turn-click.ts';
import { buildPieces } from './build-pieces.ts';
import { buttonMaker } from './card-foot.ts';
import { cutPiece } from './fit-pieces.ts';
import { renderText } from './render-args.ts';
import { sayStanding } from './settled-card.ts';

/** What a tool said last while it runs, and when. */
export interface ProgressLine {
  readonly text: string;
  readonly at: number;
}

/** Makes the blocks below the heading. */
export function buildRunning(
  call: Call,
  masking: Masking,
  progress: ProgressLine | undefined,
): KnownBlock[] {
  const button = buttonMaker(call);
  const stop = makeStop(call);
  const text = sayStanding(call);
  return [
    { type: 'section', text: { type: 'mrkdwn', text, verbatim: true }, expand: true },
    ...(progress === undefined || call.status !== 'running' ? [] : quoteLine(progress, masking)),
    {
      type: 'actions',
      elements: [...(stop === undefined ? [] : [stop]), button(ACTIONS.open, 'Details')],
    },
  ];
}

function quoteLine({ text }: ProgressLine, masking: Masking): KnownBlock[] {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line === ''
    ? []
    : buildPieces([cutPiece(renderText('Progress', line, masking), BUDGET.note)]);
}

/** Stops the turn. A card outside the thread has no such button, nor has one whose program runs the call itself. */
function makeStop(call: Call): Button | undefined {
  const isOurs = call.status === 'running' && !isTaken(call) && !isElsewhere(call);
  if (!isOurs || !isTurnToken(encodeTurnToken(call.turn))) return undefined;
  return {
    type: 'button',
    action_id: ACTIONS.stopTurn,
    text: { type: 'plain_text', text: 'Stop', emoji: false },
    value: encodeTurnToken(call.turn),
  };
}
