/** The card of an approved or running call: its progress, and the Stop button. */
import type { Button, KnownBlock } from '@slack/types';
import type { Call } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { isInOtherChannel } from '../../domain/cards/card-channel.ts';
import type { Masking } from '../../domain/secrets/mask-secrets.ts';
import { BUDGET } from '../text/limits.ts';
import { ACTIONS } from '../transport/ids.ts';
import { encodeTurnToken, parseTurnToken } from '../transport/turn-token.ts';
import { createButtonMaker } from './sections/buttons.ts';
import { describeStatusWithIcon } from './settled-card.ts';
import { truncateValue } from './values/fit-values.ts';
import { renderText } from './values/render-arguments.ts';
import { buildValueBlock } from './values/rich-text-blocks.ts';

/** The last progress report of a running tool, and when it came. */
export interface ProgressLine {
  readonly text: string;
  readonly at: number;
}

/** Builds the blocks below the heading. */
export function buildRunning(
  call: Call,
  masking: Masking,
  progress: ProgressLine | undefined,
): KnownBlock[] {
  const button = createButtonMaker(call);
  const stop = makeStop(call);
  const text = describeStatusWithIcon(call);
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
    : buildValueBlock([truncateValue(renderText('Progress', line, masking), BUDGET.note)]);
}

/**
 * Stops the turn. Cards in other channels have no Stop button, nor do calls that a program runs.
 */
function makeStop(call: Call): Button | undefined {
  const isOurs =
    call.status === 'running' && behaviourOf(call).runBy !== 'caller' && !isInOtherChannel(call);
  if (!isOurs || parseTurnToken(call.turn) === undefined) return undefined;
  return {
    type: 'button',
    action_id: ACTIONS.stopTurn,
    text: { type: 'plain_text', text: 'Stop', emoji: false },
    value: encodeTurnToken(call.turn),
  };
}
