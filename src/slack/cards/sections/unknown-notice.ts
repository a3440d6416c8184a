/** The status of a call that still needs an answer from people. */
import type { KnownBlock } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { BUDGET } from '../../text/limits.ts';
import { iconOf, sayVerdict } from '../settled-card.ts';
import { cutPiece } from '../values/fit-values.ts';
import { renderText } from '../values/render-arguments.ts';
import { buildPieces } from '../values/rich-text-blocks.ts';
import { sayStatus } from './status-labels.ts';

/** Builds the blocks with what is known of an unknown call; a pending call's buttons show its status. */
export function buildState(call: Call, masking: Masking): KnownBlock[] {
  if (call.status !== 'unknown') return [];
  const verdict = sayVerdict(call);
  const by = verdict === undefined ? '' : ` · ${verdict}`;
  const text = `${iconOf(call)} *${sayStatus(call)}*${by}\nPlease look, and say what you found.`;
  const { outcome } = call;
  const reason = outcome?.kind === 'unknown' ? outcome.reason : '';
  return [
    { type: 'section', text: { type: 'mrkdwn', text }, expand: true },
    ...(reason === ''
      ? []
      : buildPieces([cutPiece(renderText('What is known', reason, masking), BUDGET.outcome)])),
  ];
}
